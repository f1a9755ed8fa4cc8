import type { Database } from '../../store/database.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import { generateHistory } from '../content/history.ts'
import { createSeededRandom } from '../content/seeded-random.ts'
import { allPermissions } from '../credentials.ts'
import { accessKey, serve, type Serving } from '../serving.test-support.ts'
import { openSigner, type Signer } from './publish.ts'
import type { StoreInstance } from './evidence.ts'
import { usualPolicies } from './usual-policies.ts'

/** The service with the usual policies, on a socket, over some builds of the made-up company. */
export interface GovernorServing {
  readonly serving: Omit<Serving, 'database'>
  readonly database: Database
  readonly signer: Signer
  /** Ids of builds by project, newest first. */
  readonly builds: ReadonlyMap<string, readonly string[]>
}

export const sha256 = '4f2f6cf1c1b5a3b8d1d4b7ce0aa6a3e9f9a0a3d6e7c1b2a4958f0e1d2c3b4a59'
export const repositoryUrl = 'registry.acme.example/shop'

/**
 * Serves it; ada may do everything, bob may read packages of Maven alone, and eve whatever is in
 * this repository, or below `public`.
 */
export async function serveGovernor(
  options: {
    readonly instances?: readonly StoreInstance[]
    readonly poolSize?: number
    readonly history?: number
  } = {},
): Promise<GovernorServing> {
  const { history: count = 120, ...governor } = options
  const database = await memoryDatabase()
  const signer = await openSigner(database)
  const serving = await serve({
    database,
    random: createSeededRandom(1, 'attestation ids'),
    credentials: [
      { user: 'ada', accessKey, password: 'pass:word', permissions: allPermissions },
      { user: 'bob', password: 'b', permissions: [], packages: ['/packages/maven/*'] },
      {
        user: 'eve',
        password: 'e',
        permissions: [],
        repositories: [repositoryUrl, 'registry.acme.example/public/*'],
      },
    ],
    governor: { signer, policies: usualPolicies(signer.publicPem), ...governor },
  })
  const history = [...generateHistory({ seed: 1, count, until: Date.UTC(2026, 10, 19, 16) })]
  await serving.addAll(history)
  const builds = new Map<string, string[]>()
  for (const { message, attributes } of history) {
    const project = attributes?.rootProjectName ?? attributes?.topLevelProjectName
    if (typeof project === 'string') {
      builds.set(project, [message.buildId, ...(builds.get(project) ?? [])])
    }
  }
  return { serving, database, signer, builds }
}

/** A POST of a JSON body. */
export function json(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}
