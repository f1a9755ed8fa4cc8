import { expect, test } from 'vitest'
import type { NewWaiver } from '../../../protocol/waiver.ts'
import { dueAlerts } from '../../store/alerts.ts'
import { onEachDatabase, openForEachTest } from '../../store/on-each-database.test-support.ts'
import { endWaiver, samplePerson, sampleWaiver } from '../../store/sample-history.test-support.ts'
import { addWaivers } from '../../store/waivers.ts'
import { alertMail } from './alert-message.ts'
import { isReminderDue, noteEndingWaivers } from './waiver-reminders.ts'

const day = 86_400_000
const given = Date.UTC(2026, 0, 5, 9)
const rules = { days: [7, 1], dashboard: 'https://sightline.example/' }

onEachDatabase((open) => {
  const database = openForEachTest(open)

  async function give(
    count: number,
    days: number,
    change: Partial<NewWaiver> = {},
    needsApproval = false,
  ) {
    const waiver = sampleWaiver(given + days * day, change)
    const asked = { waiver, needsApproval, detail: 'x' }
    const act = { ...samplePerson('ada'), at: given }
    return (await addWaivers(database, Array(count).fill(asked), act)) ?? []
  }

  /** What is sent after so many days. */
  async function texts(days: number): Promise<readonly string[]> {
    const now = given + days * day
    await noteEndingWaivers(database, rules, now)
    return (await dueAlerts(database, now)).map(({ text }) => text)
  }

  test('people are reminded a week and a day before a waiver ends, each time once', async () => {
    await give(1, 14, { ticket: 'REL-42' })
    expect(await texts(6.9)).toEqual([])
    const week = await texts(7)
    expect(week).toEqual([
      'The waiver of sbom (release) for npm/@acme/app/1.0.0 ends on Jan 19, 2026, 09:00 UTC. Responsible: Grace. REL-42 <https://sightline.example/waivers?show=ending|Waivers>',
    ])
    expect(await texts(9)).toEqual(week)
    expect(await texts(13)).toHaveLength(2)
    expect(await texts(14)).toHaveLength(2)
  })

  test('a mail is about the waiver and its end, whatever full stops are in names', async () => {
    await give(1, 14, { policyUri: 'https://policies.example/Prüfung. Neu.yaml' })
    await texts(7)
    expect(alertMail(await dueAlerts(database, given + 7 * day)).subject).toBe(
      '[Sightline] The waiver of Prüfung. Neu.yaml (release) for npm/@acme/app/1.0.0 ends on Jan 19, 2026, 09:00 UTC',
    )
  })

  test('nothing that somebody wrote becomes a mention or a link', async () => {
    await give(1, 14, { ticket: '<!channel>', person: '<https://evil.example|Grace> & co' })
    expect(await texts(7)).toEqual([
      expect.stringContaining(
        'Responsible: &lt;https://evil.example|Grace&gt; &amp; co. &lt;!channel&gt; <',
      ),
    ])
  })

  test('those that were given at once are one message; what was ended causes none', async () => {
    await give(40, 10)
    const [ended] = await give(1, 10, { reason: 'over' })
    await endWaiver(database, ended?.id ?? '', { ...samplePerson(), at: given + 1, detail: 'x' })
    expect(await texts(9)).toEqual([
      expect.stringContaining('40 waivers of sbom (release) end on Jan 15, 2026'),
    ])
  })

  test('thousands that wait for approval keep nobody from being reminded of one in force', async () => {
    await give(1, 9.5, {}, true)
    const [waiting] = await database.kysely.selectFrom('waivers').selectAll().execute()
    if (waiting === undefined) throw new Error('Nothing waits.')
    const copies = Array.from({ length: 200 }, (_, at) => ({ ...waiting, id: `copy ${at}` }))
    for (let at = 0; at < 25; at++) {
      const values = copies.map((copy) => ({ ...copy, id: `${copy.id} of ${at}` }))
      await database.kysely.insertInto('waivers').values(values).execute()
    }
    await give(1, 10)
    expect(await texts(9)).toEqual([
      expect.stringContaining(
        'The waiver of sbom (release) for npm/@acme/app/1.0.0 ends on Jan 15',
      ),
    ])
    const [alert] = await dueAlerts(database, given + 9 * day)
    expect(alert && (await isReminderDue(database, alert, given + 8 * day))).toBe(true)
  })

  test('those of other policies and scans that were given at once are messages of their own', async () => {
    const waivers = ['release', 'production'].map((scan) =>
      sampleWaiver(given + 10 * day, { scan }),
    )
    const asked = waivers.map((waiver) => ({ waiver, needsApproval: false, detail: 'x' }))
    await addWaivers(database, asked, { ...samplePerson('ada'), at: given })
    expect((await texts(9)).toSorted()).toEqual([
      expect.stringContaining('The waiver of sbom (production)'),
      expect.stringContaining('The waiver of sbom (release)'),
    ])
  })

  test('of a waiver that was ended nobody is reminded later', async () => {
    const [ended] = await give(1, 10)
    await texts(9)
    const [due] = await dueAlerts(database, given + 9 * day)
    if (due === undefined) throw new Error('nothing is due')
    expect(await isReminderDue(database, due, given + 9 * day)).toBe(true)
    await endWaiver(database, ended?.id ?? '', { ...samplePerson(), at: given + 1, detail: 'x' })
    expect(await isReminderDue(database, due, given + 9 * day)).toBe(false)
  })

  test('a waiver for three days causes one, the day before it ends', async () => {
    await give(1, 3)
    expect(await texts(1)).toEqual([])
    expect(await texts(2)).toHaveLength(1)
  })
})
