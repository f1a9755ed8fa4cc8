import type { Clock } from '../protocol/clock.ts'
import { policyScanPath } from '../protocol/package-address.ts'
import { answerProblem } from './answer-problem.ts'
import type { Connection } from './connection.ts'
import { noAnswer } from './no-answer.ts'
import { acceptedResults, type ScanSource } from './scan-source.ts'
import { addressBelow } from './address-below.ts'

type Service = Extract<Connection, { to: 'service' }>

/** The policy service itself: it keeps no waivers and no boards. */
export function createServiceSource(
  { url, credential }: Service,
  { fetch, clock, version }: { fetch: typeof globalThis.fetch; clock: Clock; version: string },
): ScanSource {
  const who = 'the policy scan service'
  return {
    who,
    evaluate: async ({ address, scan, sha256, repositoryUrl }, signal) => {
      const response = await fetch(addressBelow(url, policyScanPath(address, scan)), {
        method: 'POST',
        headers: {
          accept: acceptedResults,
          'content-type': 'application/json',
          'user-agent': `sightline-cli/${version}`,
          ...(credential === undefined ? {} : { authorization: credential.authorization }),
        },
        body: JSON.stringify({ sha256, repositoryUrl }),
        // The credential is for this server alone.
        redirect: 'manual',
        signal,
      }).catch((error: unknown) => {
        throw noAnswer(error, who)
      })
      if (response.ok) return response
      throw await answerProblem(response, 'The policy scan service', clock.now())
    },
    waivers: () => Promise.resolve([]),
    boards: () => Promise.resolve([]),
    recordOf: () => undefined,
  }
}
