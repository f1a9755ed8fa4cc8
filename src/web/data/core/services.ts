import { createContext, use, useContext } from 'react'
import type { Clock } from '../../../protocol/clock.ts'
import type { Session } from '../../../protocol/session.ts'
import type { Loss } from '../../../protocol/status-report.ts'
import type { ExportAuditLog } from '../audit/audit-log.ts'
import type { Boards } from '../board/board-run.ts'
import type { OpenBuildEvents } from '../build/build-events.ts'
import type { BuildSearches } from '../builds/build-search.ts'
import type { OpenBuildInsight } from '../insight/build-insight.ts'
import type { ReadFacts, ReadFailures, ServerInsight } from '../insight/server-insight.ts'
import type { Feed } from '../live/feed-state.ts'
import type { Publisher } from '../publish/publisher.ts'
import type { PolicyScans } from '../scans/policy-scan.ts'
import type { TestReports } from '../tests/test-report.ts'
import type { Changes } from './changes.ts'
import type { FetchFile, Request } from './request.ts'
import type { IsOnline } from './response.ts'
import type { ScreenCredential, SessionKeeper } from './session.ts'
import { type Store, useStore } from './store.ts'

/** All that the entry (web/app) makes once for the page: what nobody else may make. */
export interface Services {
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
  readonly fetch: typeof fetch
  readonly isOnline: IsOnline
  /** What lets this device in as a screen, where it is one. */
  readonly screen: ScreenCredential
  readonly session: SessionKeeper
  readonly request: Request
  readonly feed: Feed
  /** What this tab could not read of what servers sent: the last 100, newest first. */
  readonly losses: Store<readonly Loss[]>
  /** Those of single pages, which are loaded with the first of these; the same promise each time. */
  readonly ofPages: () => Promise<PageServices>
  /** Those of the pages of builds and tests, in the same way. */
  readonly ofBuilds: () => Promise<BuildServices>
}

/** What only builds and tests need: it brings the query language along. */
export interface BuildServices {
  readonly buildEvents: OpenBuildEvents
  readonly searches: BuildSearches
  /** The builds of a search, folded. */
  readonly buildInsight: OpenBuildInsight
  /** What the build server folds by itself. */
  readonly serverInsight: ServerInsight
  /** Why builds failed, as the proxy reads it from their events. */
  readonly readFailures: ReadFailures
  /** What builds' events say, for servers whose list says nothing. */
  readonly readFacts: ReadFacts
  /** Tests across builds, as the proxy folds them. */
  readonly testReports: TestReports
}

/** What the feed, walls and the decoder do without. */
export interface PageServices {
  readonly scans: PolicyScans
  readonly publisher: Publisher
  readonly boards: Boards
  /** What others change. */
  readonly changes: Changes
  readonly exportAuditLog: ExportAuditLog
  /** Files that the proxy makes. */
  readonly fetchFile: FetchFile
}

export const ServicesContext = createContext<Services | undefined>(undefined)

/** The services of the page. Throws an Error outside a ServicesContext. */
export function useServices(): Services {
  const services = useContext(ServicesContext)
  if (services === undefined) throw new Error('no ServicesContext')
  return services
}

/** The services of pages; suspends until they are loaded. */
export function usePageServices(): PageServices {
  return use(useServices().ofPages())
}

/** The services of builds; suspends until they are loaded. */
export function useBuildServices(): BuildServices {
  return use(useServices().ofBuilds())
}

/** Who is signed in, or was until a moment ago; undefined until it is known. */
export function useSessionUser(): Session['user'] | undefined {
  return useStore(useServices().session.state, ({ session }) => session?.user)
}
