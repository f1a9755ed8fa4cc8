/**
 * A copy of a text that stands for itself. Engines keep a text that was cut out of another as a
 * reference to the whole: a path of forty characters would keep the 64 kB alive that it came in.
 */
export function ownText(text: string): string {
  return ` ${text}`.slice(1)
}
