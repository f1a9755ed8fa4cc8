import { countOf, countText } from '../../../protocol/count.ts'
import type { FollowedCounts } from './followed-rows.ts'

/** What a followed query brought: "12 builds match, 2 are not known yet, 1 cannot be told here." */
export function followSentence({ matching, waiting, untold }: FollowedCounts): string {
  const parts = [
    matching === 0 ? 'No build matches' : countOf(matching, 'build matches', 'builds match'),
    waiting > 0 && `${countText(waiting)} ${isOrAre(waiting)} not known yet`,
    untold > 0 && `${countText(untold)} cannot be told here`,
  ]
  return `${parts.filter((part) => part !== false).join(', ')}.`
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}
