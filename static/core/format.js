/**
 * Numbers, times and lengths as people of the chosen language write them (Intl only).
 */

/** Formats for one language. */
export class Format {
  #locale;
  #number;
  #day;
  #dayYear;
  #time;
  #date;
  #relative;

  /** @param {string} locale */
  constructor(locale) {
    this.#locale = locale;
    this.#number = new Intl.NumberFormat(locale);
    this.#day = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' });
    this.#dayYear = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long',
      year: 'numeric' });
    this.#time = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' });
    this.#date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
    this.#relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  }

  /** @param {number} value */
  number(value) {
    return this.#number.format(value);
  }

  /**
   * @param {number} value
   * @param {number} digits digits behind the decimal point
   */
  decimal(value, digits) {
    return new Intl.NumberFormat(this.#locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
      value,
    );
  }

  /** @param {number} bytes */
  bytes(bytes) {
    const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
    let step = 0;
    let value = bytes;
    while (value >= 1000 && step < units.length - 1) {
      value /= 1000;
      step += 1;
    }
    const unit = units[step] ?? 'byte';
    // The short form of a byte has no plural.
    return new Intl.NumberFormat(this.#locale, { style: 'unit', unit, unitDisplay: step === 0 ? 'long' : 'short',
      maximumFractionDigits: value < 10 && step > 0 ? 1 : 0 }).format(value);
  }

  /** @param {string} stamp ISO time; the empty string for a bad one */
  date(stamp) {
    const at = parseTime(stamp);
    return at ? this.#date.format(at) : '';
  }

  /** @param {string} stamp */
  time(stamp) {
    const at = parseTime(stamp);
    return at ? this.#time.format(at) : '';
  }

  /**
   * A day as a heading: today, yesterday, or weekday and date.
   *
   * @param {string} day `YYYY-MM-DD`
   * @param {Date} now
   */
  day(day, now) {
    const at = parseTime(day);
    if (!at) return day;
    const distance = dayDistance(at, now);
    if (distance >= -1 && distance <= 0) return capitalise(this.#relative.format(distance, 'day'), this.#locale);
    return (at.getFullYear() === now.getFullYear() ? this.#day : this.#dayYear).format(at);
  }

  /**
   * The name of a month.
   *
   * @param {string} month `YYYY-MM`
   * @param {'long' | 'short' | 'narrow'} width long names say the year too
   */
  month(month, width) {
    const at = parseTime(`${month}-01`);
    if (!at) return month;
    return new Intl.DateTimeFormat(this.#locale,
      width === 'long' ? { month: 'long', year: 'numeric' } : { month: width }).format(at);
  }

  /**
   * The name of a day of the week.
   *
   * @param {number} day 0 for Monday
   * @param {'long' | 'short'} width
   */
  weekday(day, width) {
    // The first of January 2024 was a Monday.
    return new Intl.DateTimeFormat(this.#locale, { weekday: width }).format(new Date(2024, 0, 1 + day));
  }

  /** @param {number} hour of the day, 0 to 23 */
  hour(hour) {
    return new Intl.DateTimeFormat(this.#locale, { hour: 'numeric' }).format(new Date(2024, 0, 1, hour));
  }

  /**
   * How long ago, in the largest unit that says something.
   *
   * @param {string} stamp
   * @param {Date} now
   */
  ago(stamp, now) {
    const at = parseTime(stamp);
    if (!at) return '';
    const minutes = (at.getTime() - now.getTime()) / 60_000;
    // Less than a minute counts as one: "now" reads badly in a sentence.
    if (minutes > -60) return this.#relative.format(Math.min(-1, Math.round(minutes)), 'minute');
    const days = dayDistance(at, now);
    if (days === 0) return this.#relative.format(Math.round(minutes / 60), 'hour');
    if (days > -14) return this.#relative.format(days, 'day');
    if (days > -60) return this.#relative.format(Math.round(days / 7), 'week');
    if (days > -700) return this.#relative.format(Math.round(days / 30.4), 'month');
    return this.#relative.format(Math.round(days / 365.25), 'year');
  }

  /**
   * How long ago, for a place where nothing else stands: with a capital.
   *
   * @param {string} stamp
   * @param {Date} now
   */
  since(stamp, now) {
    return capitalise(this.ago(stamp, now), this.#locale);
  }

  /**
   * A length of play: `42 s`, `12 min`, `3 h 5 min`.
   *
   * @param {number} seconds
   */
  span(seconds) {
    const whole = Math.max(0, Math.round(seconds));
    if (whole < 60) return this.#unit(whole, 'second');
    const minutes = Math.floor(whole / 60);
    if (minutes < 60) return this.#unit(minutes, 'minute');
    const hours = Math.floor(minutes / 60);
    const rest = minutes % 60;
    if (hours >= 100 || rest === 0) return this.#unit(hours, 'hour');
    return `${this.#unit(hours, 'hour')} ${this.#unit(rest, 'minute')}`;
  }

  /**
   * @param {number} value
   * @param {string} unit
   */
  #unit(value, unit) {
    return new Intl.NumberFormat(this.#locale, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
  }
}

/**
 * A running clock: `0:07`, `12:34`, `1:02:03`.
 *
 * @param {number} seconds
 * @returns {string}
 */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const pad = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}

/**
 * Reads a time of the server. Times without a zone, and plain days, are local times.
 *
 * @param {string} stamp
 * @returns {Date | null}
 */
export function parseTime(stamp) {
  if (!stamp) return null;
  const at = new Date(/^\d{4}-\d{2}-\d{2}$/.test(stamp) ? `${stamp}T00:00:00` : stamp);
  return Number.isNaN(at.getTime()) ? null : at;
}

/**
 * Calendar days from `now` to `at`; negative for the past.
 *
 * @param {Date} at
 * @param {Date} now
 */
function dayDistance(at, now) {
  const midnight = (/** @type {Date} */ d) => Date.UTC(d.getFullYear(), d.getMonth(), d.getDate());
  return Math.round((midnight(at) - midnight(now)) / 86_400_000);
}

/**
 * @param {string} text
 * @param {string} locale
 */
function capitalise(text, locale) {
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
}
