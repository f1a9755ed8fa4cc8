/** A text of a service with no more than so many characters, and a mark where there were more. */
export function cutText(text: string, most: number): string {
  // Not amid a sign of two units.
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`
}
