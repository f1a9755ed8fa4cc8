import { listBuilds, type Listing, positionOf } from './build-listing.ts'
import type { Database } from './database.ts'
import type { NewBuild } from './build-writing.ts'

/** The id of the nth sample build. */
export const id = (n: number): string => `b${n.toString(36).padStart(12, '0')}`

/** An event whose data holds an id beyond 2^53. */
export const event = (type: string, n = 0): string =>
  `{"timestamp":${n},"type":{"majorVersion":1,"minorVersion":0,"eventType":"${type}"},"data":{"id":-7978837427190732235}}`

/** The Build message of the nth sample build: received at second n, of Maven where n is even. */
export const message = (n: number, receivedAt = n * 1000) => ({
  buildId: id(n),
  timestamp: receivedAt,
  toolType: n % 2 === 0 ? 'maven' : 'gradle',
  toolVersion: '9.1',
  agentVersion: '4.0',
})

/** The nth sample build, with two events. */
export const build = (n: number, more: Partial<NewBuild> = {}): NewBuild => ({
  message: message(n),
  attributes: null,
  events: [event('BuildStarted', n), event('BuildFinished', n)],
  ...more,
})

/** The ids of a listing, up to 1,000. */
export async function listed(database: Database, listing: Listing = {}): Promise<string[]> {
  return (await listBuilds(database, listing, 1000)).map((stored) => stored.buildId)
}

/** The position of a build; -1 where it is unknown. */
export async function at(database: Database, buildId: string): Promise<number> {
  return (await positionOf(database, buildId)) ?? -1
}
