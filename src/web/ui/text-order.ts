/** Characters that turn the text after them around (Unicode Bidirectional Algorithm, UAX #9). */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066\u2067]/g
const letters = '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc'
/** Words that are read from right to left, and what stands between them. */
const words = new RegExp(`[${letters}](?:[${letters}\\s'’_-]*[${letters}])?`, 'g')
const isForeign = new RegExp(`[${letters}]`)
const isSentence = /[a-z].*\s|\s.*[a-z]/is
const isolated = /[\u2068\u2069]/

/**
 * A text as it is shown: characters that would turn what follows are written out, "‹U+202E›" as where attestations are decoded, and in
 * a sentence names that are read from right to left leave the order of the rest as it is.
 */
export function orderedText(text: string): string {
  const written = text.replace(
    turning,
    (one) => `‹U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`,
  )
  return isForeign.test(written) && isSentence.test(written) && !isolated.test(written)
    ? written.replace(words, '\u2068$&\u2069')
    : written
}

const said = ['title', 'aria-label'] as const

/**
 * Shows all text of the page in order, also what comes later: names come from everywhere, so there is
 * one place for all of them. What is copied, sent and searched for stays as it is, and so do fields.
 * What it returns ends that.
 */
export function keepTextOrder(): () => void {
  const observer = new MutationObserver((changes) => {
    for (const { target, addedNodes, type } of changes) {
      if (type === 'childList') for (const node of addedNodes) order(node)
      else order(target)
    }
  })
  order(document.body)
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: [...said],
  })
  return () => {
    observer.disconnect()
  }
}

function order(node: Node): void {
  if (node instanceof Text) {
    if (node.parentElement?.closest('textarea, script, style, [contenteditable]')) return
    const ordered = orderedText(node.data)
    if (ordered !== node.data) node.data = ordered
  } else if (node instanceof Element) {
    for (const name of said) {
      const text = node.getAttribute(name)
      const ordered = text === null ? null : orderedText(text)
      if (ordered !== null && ordered !== text) node.setAttribute(name, ordered)
    }
    for (const child of node.childNodes) order(child)
  }
}
