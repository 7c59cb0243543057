/**
 * A real local stand-in for the provider of achievements: one user, one game, badges.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';

import { poster } from './picture.js';

/**
 * @typedef {{title: string, points: number, earned?: boolean, hardcore?: boolean}} Known
 */

/** The number of its game. */
export const NUMBER = '77';

/** The server. */
export class AchievementServer {
  #server;

  /** @param {readonly Known[]} known in the order of the provider */
  constructor(known) {
    const at = '2025-01-02 03:04:05';
    const rows = known.map(({ title, points, earned, hardcore }, index) => [String(index + 1), {
      ID: index + 1,
      Title: title,
      Description: `How to get ${title}`,
      Points: points,
      TrueRatio: points,
      BadgeName: String(250_000 + index),
      DisplayOrder: index,
      ...(earned || hardcore ? { DateEarned: at } : {}),
      ...(hardcore ? { DateEarnedHardcore: at } : {}),
    }]);
    const count = (/** @type {(row: Known) => boolean | undefined} */ is) => known.filter(is).length;
    const game = { ID: Number(NUMBER), Title: 'Comet Rangers', NumAchievements: known.length,
      NumAwardedToUser: count((row) => row.earned || row.hardcore),
      NumAwardedToUserHardcore: count((row) => row.hardcore), Achievements: Object.fromEntries(rows),
      HighestAwardKind: null };
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://here');
      const say = (/** @type {unknown} */ body) =>
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      if (pathname.startsWith('/Badge/')) {
        const seed = Number(pathname.replaceAll(/\D/g, '')) % 97;
        response.writeHead(200, { 'Content-Type': 'image/png' }).end(poster(seed, 64, 64));
      } else if (pathname === '/API/API_GetUserProfile.php')
        say({ User: 'Ada', TotalPoints: 1200, Motto: 'Once more' });
      else if (pathname === '/API/API_GetGameInfoAndUserProgress.php') say(game);
      else response.writeHead(404).end('[]');
    });
  }

  /**
   * @param {readonly Known[]} known
   * @returns {Promise<AchievementServer>}
   */
  static async start(known) {
    const server = new AchievementServer(known);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** What the program needs to ask it instead of the real one. */
  get env() {
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    return { SERVICE_ACH_BASE: `http://127.0.0.1:${port}/API`, SERVICE_ACH_MEDIA_BASE: `http://127.0.0.1:${port}` };
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
