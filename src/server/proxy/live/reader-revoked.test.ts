import { createServer, type ServerResponse } from 'node:http'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { onLoopback } from '../../../free-port.test-support.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createMemoryLog } from '../../live-log/memory-log.ts'
import { NewScreen, Screen } from '../../../protocol/screen.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import { samplePerson } from '../../store/sample-history.test-support.ts'
import { revokeScreen } from '../../store/screens.ts'
import { createScreenActivation } from '../screens/screen-routes.ts'
import { createScreenSessions } from '../screens/screen-sessions.ts'
import { createReaderList, defaultHubSettings } from './reader-list.ts'
import { openLiveClient } from './live-client.ts'

test('the open stream of a screen that is revoked ends within a minute; those of others go on', async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  const database = await memoryDatabase()
  const logger = pino({ level: 'silent' })
  const desk = createScreenActivation(database, clock)
  // The other proxy is the one that revokes: this one only hears of it from the database.
  const sessions = createScreenSessions({ database, clock, logger, log: createMemoryLog(clock) })
  const readers = createReaderList(clock, defaultHubSettings, () => undefined)
  const responses: ServerResponse[] = []
  const server = createServer((_, response) => responses.push(response))
  const { url, close } = await onLoopback(server)
  onTestFinished(async () => {
    await close()
    await database.close()
  })

  const open = async (name: string): Promise<{ screen: Screen; isOpen: () => boolean }> => {
    const { code, secret } = await desk.start('127.0.0.1')
    const screen = await desk.confirm(NewScreen.parse({ code, name }), samplePerson('ann'))
    const claimed = await desk.claim(secret)
    const token = 'token' in claimed ? claimed.token : ''
    const session = await sessions.verify(`Bearer ${String(token)}`)
    if (session === undefined) throw new Error('the screen has no session')
    const answer = fetch(url)
    await until(() => responses.length > 0)
    const outgoing = responses.shift()
    if (outgoing === undefined) throw new Error('the reader has not come')
    const client = openLiveClient({
      request: {
        since: 'now',
        batch: false,
        lastEventId: undefined,
        lastEventIdMalformed: false,
        session,
        gzip: false,
      },
      outgoing,
      clock,
      gzip: false,
      endsAt: session.expiresAt,
      onReady: () => undefined,
      onGone: () => undefined,
    })
    readers.add({ client, advance: () => undefined, follower: () => undefined })
    let isOpen = true
    void answer
      .then((response) => response.text())
      .finally(() => {
        isOpen = false
      })
      .catch(() => undefined)
    return { screen: Screen.parse(screen), isOpen: () => isOpen }
  }

  const kitchen = await open('Kitchen')
  const lobby = await open('Lobby')
  expect(
    await revokeScreen(database, kitchen.screen.id, { ...samplePerson('ann'), now: clock.now() }),
  ).toBe(true)
  for (let second = 0; second < 60; second++) {
    clock.advance(1000)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await until(() => !kitchen.isOpen())
  expect(lobby.isOpen()).toBe(true)
})

/** Waits for what a socket brings. */
async function until(happened: () => boolean): Promise<void> {
  while (!happened()) await new Promise((resolve) => setTimeout(resolve, 2))
}
