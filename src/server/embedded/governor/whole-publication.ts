import { ProblemError } from '../../../protocol/problem.ts'
import { externalFailure } from './governor-problem.ts'
import type { PublishResult } from './publish.ts'

/**
 * All results of a publication at once. Where a store refused some, or the work fails when something
 * is stored already, it throws a ProblemError (500) that tells in `successes` and `errors` what
 * became of each; the reason of such a failure goes to `failed`, as it is none of the client's.
 */
export async function wholePublication(
  results: AsyncIterable<PublishResult>,
  failed: (error: unknown) => void,
): Promise<readonly PublishResult[]> {
  const all: PublishResult[] = []
  try {
    for await (const result of results) all.push(result)
  } catch (error) {
    if (error instanceof ProblemError || !all.some(isStored)) throw error
    failed(error)
    throw partial(all, 'the work stopped half way, see successes for what is stored')
  }
  if (all.every(isStored)) return all
  throw partial(all, 'a store refused some attestations, see errors for details')
}

function partial(all: readonly PublishResult[], reason: string): ProblemError {
  return externalFailure(reason, {
    successes: all.filter(isStored).map(told),
    errors: all.filter((result) => !isStored(result)).map(told),
  })
}

function isStored({ status }: PublishResult): boolean {
  return status === 'SUCCESS'
}

function told({ details, attestationUri }: PublishResult): object {
  return {
    storeType: details.storeType,
    storeUri: details.storeName,
    storeResponse: {
      predicate_type: details.predicateType,
      message: details.message ?? null,
      uri: attestationUri,
    },
  }
}
