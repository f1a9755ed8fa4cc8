const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** A build id for a build that came without one; `random` from 0 up to 1. */
export function madeUpBuildId(random: () => number): string {
  return Array.from({ length: 13 }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')
}
