import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { Clock } from '../protocol/clock.ts'
import { reasonOf } from '../protocol/parsed-text.ts'
import type { SharedConfig } from '../protocol/proxy-config.ts'
import type { Config } from './config.ts'
import { offeredWalls } from './embedded/content/company.ts'
import {
  createPresent,
  enoughForAnHour,
  generatePast,
  generateRecent,
  type HistoryOptions,
  type PresentOptions,
  type RecordedBuild,
} from './embedded/content/history.ts'
import { allPermissions, type EmbeddedCredential } from './embedded/credentials.ts'
import { createEmbedded, type Embedded, type EmbeddedOptions } from './embedded/embedded.ts'
import { openSigner } from './embedded/governor/publish.ts'
import { offeredBoard, offeredPackages, seedPackages } from './embedded/governor/seed-packages.ts'
import { usualPolicies } from './embedded/governor/usual-policies.ts'
import type { Secret } from './read-settings.ts'
import { forgetAttestations, hasAttestations, keptSecret } from './store/attestations.ts'
import { lastPosition, listBuilds } from './store/build-listing.ts'
import { messageOf } from './store/build-rows.ts'
import { forgetBuilds, pruneBuilds } from './store/build-writing.ts'
import type { Database } from './store/database.ts'
import { takeLock } from './store/process-lock.ts'
import { seedOnce } from './store/seed-once.ts'

/** What the embedded services and the made-up company on them stand on. */
export interface CompanyOptions extends Pick<
  EmbeddedOptions,
  'credentials' | 'projectAccessControl' | 'faults' | 'dashboard'
> {
  readonly settings: Pick<Config['embedded'], 'builds' | 'rate' | 'seed' | 'stores' | 'models'>
  /** Whoever opens it adds the builds, the past too. */
  readonly withoutBuilds?: boolean
  /** What Sightline's own account shows. */
  readonly accessKey: Pick<Secret, 'reveal'>
  readonly database: Database
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Pick<Logger, 'error'>
}

/** The embedded services with the past of the made-up company in them. */
export interface Company {
  readonly embedded: Embedded
  /** The key that its attestations are signed with, and what there is to look at. */
  readonly offered: Pick<SharedConfig, 'trustedKeys' | 'packages' | 'boards' | 'walls' | 'tips'>
  /** Publishes its packages where there are none yet; `origin` is where builds have pages. */
  readonly publishPackages: (origin: string) => Promise<void>
  /** Lets builds arrive from now on. */
  readonly startPresent: () => LivingPresent
}

/** Opens the embedded services on a database, with a history where it has no builds yet. */
export async function openCompany(options: CompanyOptions): Promise<Company> {
  const { settings, accessKey, database, withoutBuilds = false, ...rest } = options
  const { clock, random, logger } = rest
  const signer = await openSigner(database)
  const tokenKey = await keptSecret(database, 'embedded-tokens', () =>
    randomBytes(32).toString('base64'),
  )
  const instances = settings.stores.map((name) => ({ name }))
  const embedded = createEmbedded({
    ...rest,
    database,
    governor: { signer, policies: usualPolicies(signer.publicPem), instances },
    models: settings.models,
    credentials: withOwn(options.credentials, accessKey),
    tokenKey: Buffer.from(tokenKey, 'base64'),
  })
  const hasBuilds = settings.builds > 0
  if (hasBuilds && !withoutBuilds) {
    const past = (): HistoryOptions & PresentOptions => ({
      seed: settings.seed,
      count: settings.builds,
      until: clock.now(),
      ratePerSecond: settings.rate,
      random,
    })
    await seedOnce(database, clock, {
      name: 'builds',
      isThere: async () => (await lastPosition(database)) > 0,
      undo: () => forgetBuilds(database),
      make: () => embedded.addAll(generatePast(past())),
    })
    await addMissedHour(database, (since) => embedded.addAll(generateRecent({ ...past(), since })))
  }
  let sincePruned = 0
  let isFailing = false
  return {
    embedded,
    offered: {
      trustedKeys: { 'acme-release': { pem: signer.publicPem } },
      tips: settings.builds >= enoughForAnHour,
      ...(hasBuilds
        ? { packages: offeredPackages(), boards: [offeredBoard()], walls: offeredWalls() }
        : { packages: [], boards: [], walls: [] }),
    },
    publishPackages: async (origin) => {
      if (!hasBuilds) return
      await seedOnce(database, clock, {
        name: 'packages',
        isThere: () => hasAttestations(database),
        undo: () => forgetAttestations(database),
        make: () => seedPackages({ database, clock, random, signer, instances }, origin),
      })
    },
    startPresent: () =>
      startLivingPresent({
        clock,
        random,
        seed: settings.seed,
        ratePerSecond: settings.rate,
        store: async (builds) => {
          await embedded.addAll(builds)
          isFailing = false
          sincePruned += builds.length
          if (sincePruned < pruneEvery) return
          sincePruned = 0
          await pruneBuilds(database, Math.max(settings.builds, keepAtLeast))
        },
        failed: (error) => {
          // A full disk may stay so for days.
          if (!isFailing) logger.error({ reason: reasonOf(error) }, 'storing new builds fails')
          isFailing = true
        },
      }),
  }
}

/**
 * Adds what would have been received in the last hour if it had not been stopped, unless another process does, or it
 * was stopped for a moment only: a feed that is opened again the next day would be empty.
 */
async function addMissedHour(
  database: Database,
  addSince: (at: number) => Promise<void>,
): Promise<void> {
  const lock = await takeLock(database, 'seed')
  if (lock === undefined) return
  try {
    const [newest] = await listBuilds(database, { newestFirst: true }, 1)
    if (newest !== undefined) await addSince(messageOf(newest).timestamp)
  } finally {
    await lock.release()
  }
}

/** So that a demonstration may run for weeks without filling a disk. */
const keepAtLeast = 50_000
const pruneEvery = 1_000

/**
 * Sightline's own account may do everything, by its key as a bearer token or as the password of
 * `sightline`, unless the file has an account with that key.
 */
function withOwn(
  accounts: readonly EmbeddedCredential[],
  accessKey: Pick<Secret, 'reveal'>,
): readonly EmbeddedCredential[] {
  const own = accessKey.reveal()
  if (accounts.some((account) => account.accessKey === own)) return accounts
  const sightline = { user: 'sightline', accessKey: own, password: own }
  return [...accounts, { ...sightline, permissions: allPermissions }]
}

/** The made-up company at work. */
interface LivingPresent {
  /** Ends it, and waits for the builds that are being stored. */
  readonly stop: () => Promise<void>
}

/** Where its builds go, and how fast they come. */
interface LivingPresentOptions {
  readonly clock: Clock
  readonly random: () => number
  readonly seed: number
  /** Builds per second, above 0. */
  readonly ratePerSecond: number
  readonly store: (builds: readonly RecordedBuild[]) => Promise<void>
  /** A batch could not be stored; the next one is tried all the same. */
  readonly failed: (error: unknown) => void
}

/**
 * Lets builds arrive at the given rate from now on. At high rates those that fall due within one
 * turn of the timer are stored together, so that the rate is kept however coarse the timer is; what
 * a slow database or a sleeping machine misses is not made up for.
 */
export function startLivingPresent(options: LivingPresentOptions): LivingPresent {
  const { clock, store, failed } = options
  const present = createPresent(options)
  let next = present.next(clock.now())
  let dueAt = clock.now() + next.waitMs
  let stopped = false
  let storing: Promise<void> = Promise.resolve()
  let cancel = schedule()

  function schedule(): () => void {
    return clock.after(Math.max(minTurnMs, dueAt - clock.now()), turn)
  }

  function turn(): void {
    const now = clock.now()
    // After a sleep of the machine the company goes on with the present, not with the gap.
    if (now - dueAt > longestGapMs) dueAt = now
    const due: RecordedBuild[] = []
    while (dueAt <= now) {
      due.push(next.build)
      next = present.next(dueAt)
      dueAt += next.waitMs
    }
    storing = store(due)
      .catch(failed)
      .then(() => {
        if (!stopped) cancel = schedule()
      })
  }

  return {
    stop: async () => {
      stopped = true
      cancel()
      await storing
    },
  }
}

const minTurnMs = 5
const longestGapMs = 5_000
