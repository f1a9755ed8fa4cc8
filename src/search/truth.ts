/**
 * Kleene's three values as small integers, so that `and` is the least, `or` the greatest and `not`
 * what is left to two. Unknown: what would tell is not known here.
 */
export type Truth = typeof no | typeof unknown | typeof yes

export const no = 0
export const unknown = 1
export const yes = 2

export function truthOf(holds: boolean): Truth {
  return holds ? yes : no
}
