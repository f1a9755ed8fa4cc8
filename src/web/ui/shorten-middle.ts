/** An id of which the middle is left out, "k3j7…7a4c"; whole when that would save nothing. */
export function shortenMiddle(id: string): string {
  return id.length <= 9 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`
}
