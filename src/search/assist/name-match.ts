/**
 * How well `typed` finds the name of a field, in any case of letters: 0 begins it, 1 begins a part
 * behind a dot, 2 begins a word in it, 3 is made of beginnings of its words (`conCaE`), 4 stands in
 * it; undefined does not find it. Nothing typed finds everything.
 */
export function nameMatch(typed: string, name: string): number | undefined {
  const wanted = typed.toLowerCase()
  const folded = name.toLowerCase()
  if (folded.startsWith(wanted)) return 0
  if (folded.includes(`.${wanted}`)) return 1
  const words = name.match(/[A-Z]*[^A-Z.]*/g)?.filter((word) => word !== '') ?? []
  const starts = words.map((word) => word.toLowerCase())
  if (starts.some((_, index) => starts.slice(index).join('').startsWith(wanted))) return 2
  // One letter is in nearly every name.
  if (wanted.length < 2) return undefined
  if (isMadeOf(wanted, starts)) return 3
  return folded.includes(wanted) ? 4 : undefined
}

/** Whether a text is beginnings of some of the words, in their order. */
function isMadeOf(text: string, words: readonly string[]): boolean {
  let ends = new Set([0])
  for (const word of words) {
    const next = new Set(ends)
    for (const end of ends) {
      for (let length = 1; length <= word.length; length += 1) {
        if (text[end + length - 1] !== word[length - 1]) break
        next.add(end + length)
      }
    }
    ends = next
  }
  return ends.has(text.length)
}
