import type { TextPattern } from '../condition.ts'
import type { Segment, Word } from '../tree.ts'
import { patternOf } from './text.ts'

/**
 * The two patterns of `name=value`, divided at the first `=`, wherever quotes are. Undefined where
 * there is none.
 */
export function readPair({
  segments,
}: Word): { readonly name: TextPattern; readonly value: TextPattern } | undefined {
  for (const [i, segment] of segments.entries()) {
    const at = segment.type === 'text' ? segment.text.indexOf('=') : -1
    if (segment.type !== 'text' || at < 0) continue
    const part = (text: string): Segment => ({ ...segment, text })
    return {
      name: patternOf([...segments.slice(0, i), part(segment.text.slice(0, at))]),
      value: patternOf([part(segment.text.slice(at + 1)), ...segments.slice(i + 1)]),
    }
  }
  return undefined
}
