import { onTestFinished } from 'vitest'
import type { SharedConfig } from '../../../protocol/proxy-config.ts'
import type { Role, SessionUser } from '../../../protocol/session.ts'
import type { Notices } from '../../live-log/live-log.ts'
import type { Database } from '../../store/database.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import type { HistorySettings } from './history.ts'
import type { PlainAnswer } from '../plain-server.test-support.ts'
import { type ProxyOnSocket, startProxyOnSocket } from '../proxy-on-socket.test-support.ts'
import { personOf, type SignIn } from '../sessions.ts'

const historySettings: HistorySettings = {
  keepDays: 365,
  keepPerScan: 500,
  longestWaiverDays: 90,
}

/** A proxy that records, before a service that answers so. */
export interface HistoryServer extends ProxyOnSocket {
  readonly database: Database
}

/** Starts it, ended after the test; a database that is handed over stays open. */
export async function historyServer(
  governor?: PlainAnswer,
  options: {
    readonly database?: Database
    readonly settings?: Partial<HistorySettings>
    readonly user?: string
    readonly mode?: SignIn['mode']
    readonly roles?: Role[]
    readonly limits?: SessionUser['limits']
    readonly notices?: Notices
    readonly shared?: Partial<SharedConfig>
  } = {},
): Promise<HistoryServer> {
  const database = options.database ?? (await memoryDatabase())
  if (options.database === undefined) onTestFinished(() => database.close())
  const proxy = await startProxyOnSocket(governor === undefined ? {} : { governor }, {
    history: { database, settings: { ...historySettings, ...options.settings } },
    ...(options.notices === undefined ? {} : { notices: options.notices }),
    ...(options.shared === undefined ? {} : { shared: options.shared }),
    signIn: signInAs(options.mode ?? 'none', {
      name: options.user ?? 'ada',
      roles: options.roles ?? ['admin'],
      ...(options.limits === undefined ? {} : { limits: options.limits }),
    }),
  })
  onTestFinished(() => proxy.close())
  return { ...proxy, database }
}

function signInAs(mode: SignIn['mode'], user: SessionUser): SignIn {
  return { mode, signIn: () => Promise.resolve(personOf(user)) }
}
