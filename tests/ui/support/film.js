/**
 * Films and sounds that tests make themselves: a film is recorded by the browser from a canvas, a sound is a tone.
 */

/**
 * A short silent film of changing colours, as WebM.
 *
 * @param {import('playwright-core').Page} page any page of the browser that is to play it
 * @param {number} [milliseconds]
 * @returns {Promise<Buffer>}
 */
export async function film(page, milliseconds = 900) {
  const text = await page.evaluate(async (length) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 160, height: 90 });
    const context = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm;codecs=vp8' });
    /** @type {Blob[]} */
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const stopped = new Promise((resolve) => {
      recorder.onstop = resolve;
    });
    recorder.start();
    const began = performance.now();
    while (performance.now() - began < length) {
      if (context) context.fillStyle = `hsl(${(performance.now() / 5) % 360} 70% 40%)`;
      context?.fillRect(0, 0, canvas.width, canvas.height);
      await new Promise(requestAnimationFrame);
    }
    recorder.stop();
    await stopped;
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    let binary = '';
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return btoa(binary);
  }, milliseconds);
  return Buffer.from(text, 'base64');
}

/**
 * A soft tone, as WAV.
 *
 * @param {number} [seconds]
 * @returns {Buffer}
 */
export function tone(seconds = 4) {
  const rate = 8000;
  const samples = Buffer.alloc(rate * seconds * 2);
  for (let at = 0; at < rate * seconds; at += 1)
    samples.writeInt16LE(Math.round(2000 * Math.sin((at * 220 * 2 * Math.PI) / rate)), at * 2);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
