import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { createManualClock } from '../../protocol/manual-clock.test-support.ts'
import { addBuilds } from '../store/build-writing.ts'
import { openDatabase } from '../store/open-database.ts'
import { createArrivals } from './arrivals.ts'
import { exportListing } from './export-service.ts'
import { build } from './seed.test-support.ts'

test('a build that arrives while a page without it is on its way is not slept through', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-listing-'))
  const reader = await openDatabase(`file:${folder}/listing.db`)
  const writer = await openDatabase(`file:${folder}/listing.db`)
  const clock = createManualClock(1_000_000)
  const arrivals = createArrivals(clock)
  let pages = 0
  const late: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      pages += 1
      // The first page is empty and sent a comment, the second is empty and on its way.
      if (pages === 2) {
        await addBuilds(writer, [build('lateforthepag', 5)])
        arrivals.notify()
      }
      return result
    },
  }
  const database = { ...reader, kysely: reader.kysely.withPlugin(late) }
  const listing = { version: 'v2' as const, after: 0, receivedFrom: 0, live: true }
  const source = { database, arrivals, clock, heartbeatMs: 1000 }
  const texts = exportListing(source, listing, new AbortController().signal)
  expect((await texts.next()).value).toBe(': heartbeat\n\n')
  expect((await texts.next()).value).toContain('id: lateforthepag\n')
  expect(clock.pending()).toBe(0)
  await texts.return()
  await Promise.all([reader.close(), writer.close()])
  await rm(folder, { recursive: true })
})
