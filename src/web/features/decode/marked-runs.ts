import { type VisiblePart, visibleParts } from '../../../attestation/visible-text.ts'

/**
 * The visible parts of a text, with hidden characters that stand side by side as one mark: a thousand
 * of them in a row are one element, and the same one over and over is told with its number.
 */
export function markedRuns(text: string): readonly VisiblePart[] {
  const runs: VisiblePart[] = []
  let open: VisiblePart[] = []
  const close = (): void => {
    if (open.length > 0) runs.push(joined(open))
    open = []
  }
  for (const part of visibleParts(text)) {
    if (part.hidden === undefined) {
      close()
      runs.push(part)
    } else open.push(part)
  }
  close()
  return runs
}

function joined(parts: readonly VisiblePart[]): VisiblePart {
  const names = new Set(parts.map(({ hidden }) => hidden))
  const [first] = parts
  const isSame = names.size === 1 && parts.length > 3 && first !== undefined
  return {
    text: isSame ? `${first.text}×${parts.length}` : parts.map((part) => part.text).join(''),
    hidden: [...names].slice(0, 5).join(', '),
  }
}
