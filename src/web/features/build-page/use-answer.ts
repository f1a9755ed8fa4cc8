import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { BuildAnswers, BuildQuestion } from '../../data/build/build-event-messages.ts'
import type { BuildEvents, PartState } from '../../data/build/build-events.ts'

/** What of a part has come, as a number that grows with it; undefined while nothing has. */
export function stampOf(part: PartState): number | undefined {
  return 'events' in part && (part.bytes > 0 || part.events > 0) ? part.events : undefined
}

/**
 * The answer to a question about a build's events, asked again when `stamp` changes; until there is
 * a new answer the old one stays. Nothing is asked while `stamp` is undefined.
 */
export function useAnswer<K extends BuildQuestion['kind']>(
  events: BuildEvents,
  question: Extract<BuildQuestion, { readonly kind: K }>,
  stamp: number | string | undefined,
): UseQueryResult<BuildAnswers[K]> {
  return useQuery({
    queryKey: ['build-answer', events.buildId, stamp, question],
    queryFn: () => events.ask(question),
    enabled: stamp !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 10_000,
    retry: false,
  })
}
