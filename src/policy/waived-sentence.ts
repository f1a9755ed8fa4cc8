import { countOf, countText } from '../protocol/count.ts'
import type { WaivedVerdict } from './waived-verdict.ts'
import { verdictSentence } from './verdict-sentence.ts'

/**
 * The verdict in words where waivers are counted: "Releasable with 1 waiver until 4 Dec: the service
 * says 1 of 11 policies unsatisfied." Without a waiver it is `verdictSentence`. `momentText` writes
 * epoch ms; of several waivers the one that ends first is told, as the verdict changes then.
 */
export function waivedSentence(
  { said, verdict, waived }: WaivedVerdict,
  momentText: (at: number) => string,
): string {
  const plain = verdictSentence(said)
  if (waived.size === 0) return plain
  const until = momentText(Math.min(...[...waived.values()].map(({ expiresAt }) => expiresAt)))
  const waivers = `${countOf(waived.size, 'waiver')} until ${until}`
  switch (verdict) {
    case 'releasable-with-waivers':
      return `Releasable with ${waivers}: ${whatTheServiceSays(plain)}`
    case 'undecided':
      return `Undecided, with ${waivers}: ${whatTheServiceSays(plain)}`
    case 'not-releasable':
    case 'releasable':
    case 'nothing-applied':
      return plain.replace(
        /unsatisfied/,
        `unsatisfied (${countText(waived.size)} waived until ${until})`,
      )
  }
}

/** A waiver never changes what the service said: it is told along, and in the same words. */
function whatTheServiceSays(plain: string): string {
  return `the service says ${plain.replace(/^Not releasable: /, '')}`
}
