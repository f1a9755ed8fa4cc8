import { Anchor, Table, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { countOf, countText } from '../../../protocol/count.ts'
import type {
  AlertStatus,
  DatabaseStatus,
  LiveLogStatus,
  PeopleStatus,
  StatusReport,
} from '../../../protocol/status-report.ts'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import { bytesText, dayText } from '../../ui/format.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { Fact, Facts, Section } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { msText, Part } from './server-parts.tsx'

const notCounted = 'not known'

/** The database: whether it can be written, and what is recorded in it. */
export function DatabasePart({ database }: { database: DatabaseStatus }): ReactElement {
  const { version, sizeBytes, latencyMs, recording } = database
  const { written, waiting, lost, lastProblemAt } = recording
  return (
    <Part title="Database" part={database}>
      <Facts>
        <Fact name="Kind">{version ?? (database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL')}</Fact>
        <Fact name="Size">{sizeBytes === null ? notCounted : bytesText(sizeBytes)}</Fact>
        <Fact name="Write time">{latencyMs === null ? notCounted : msText(latencyMs)}</Fact>
        <Fact name="Recorded">
          {`${countOf(written, 'entry', 'entries')} since the start, ${countText(waiting)} waiting, ${countText(lost)} lost`}
        </Fact>
        <Fact name="Last problem">
          {lastProblemAt === null ? 'none' : <RelativeTime at={lastProblemAt} />}
        </Fact>
      </Facts>
    </Part>
  )
}

/** The live log: where it is, and which process follows the build server for all. */
export function LiveLogPart({ log }: { log: LiveLogStatus }): ReactElement {
  return (
    <Part title="Live log" part={log}>
      <Facts>
        <Fact name="Kind">{log.kind === 'postgres' ? 'PostgreSQL' : 'Redis'}</Fact>
        <Fact name={log.isReachable ? 'Reachable since' : 'Unreachable since'}>
          <RelativeTime at={log.since} />
        </Fact>
      </Facts>
    </Part>
  )
}

/** Alerts: how many wait or were given up, and how the last attempt ended. */
export function AlertsPart({ alerts }: { alerts: AlertStatus }): ReactElement {
  const { health, waiting, failed, sent, last } = alerts
  return (
    <Part title="Alerts" part={alerts}>
      {health !== 'off' && (
        <Facts>
          <Fact name="Waiting">{waiting === null ? notCounted : countText(waiting)}</Fact>
          <Fact name="Last 24 hours">
            {sent === null || failed === null
              ? notCounted
              : `${countText(sent)} delivered, ${countText(failed)} given up`}
          </Fact>
          <Fact name="Last attempt">
            {last === null ? (
              'none since the start'
            ) : (
              <>
                <RelativeTime at={last.at} />
                {last.reason === null ? ', delivered' : `, failed: ${last.reason}`}
              </>
            )}
          </Fact>
        </Facts>
      )}
    </Part>
  )
}

/** Who uses this Sightline: sessions, streams, screens. */
export function PeoplePart({ people }: { people: PeopleStatus }): ReactElement {
  const { sessions, streams, screens, notes } = people
  return (
    <Section title="Sessions and screens">
      {notes.map((note) => (
        <Text key={note}>{note}</Text>
      ))}
      <Facts>
        <Fact name="Sessions">
          {sessions !== null
            ? countText(sessions)
            : screens === null
              ? notCounted
              : '— (sign-in is off)'}
        </Fact>
        <Fact name="Streams">{`${countText(streams)} open`}</Fact>
        <Fact name="Screens">
          {screens === null
            ? notCounted
            : `${countText(screens.paired)} paired, ${countText(screens.seen)} seen within 20 min`}
        </Fact>
      </Facts>
    </Section>
  )
}

/** What the servers sent that could not be read, and which of their operations end. */
export function ServerReport({ report }: { report: StatusReport }): ReactElement {
  const { deprecated, losses } = report
  const own = useStore(useServices().losses)
  const last = [...own, ...losses.last].toSorted((a, b) => b.at - a.at)
  return (
    <>
      {last.length > 0 && <Unreadable losses={last} />}
      {deprecated.length > 0 && <Deprecated endpoints={deprecated} />}
      {last.length + deprecated.length === 0 && (
        <Section title="Unreadable data and deprecated endpoints">
          <Text>None since the start.</Text>
        </Section>
      )}
    </>
  )
}

function Deprecated({ endpoints }: { endpoints: StatusReport['deprecated'] }): ReactElement {
  const { zone } = usePreferences()
  const day = (at: number | null): string =>
    at === null ? 'not stated' : dayText(at, zone, 'date')
  return (
    <Section title="Deprecated endpoints">
      <Table.ScrollContainer minWidth={640}>
        <Table
          data={{
            head: ['Endpoint', 'Deprecated since', 'Removed on', 'More'],
            body: endpoints.map(({ server, endpoint, since, until, links }) => [
              `${endpoint} (${server})`,
              day(since),
              day(until),
              links.map((link) => (
                <Anchor key={link} href={link} target="_blank" rel="noreferrer" size="sm">
                  {new URL(link).host}
                </Anchor>
              )),
            ]),
          }}
        />
      </Table.ScrollContainer>
    </Section>
  )
}

function Unreadable({ losses }: { losses: StatusReport['losses']['last'] }): ReactElement {
  return (
    <Section title="Unreadable data, newest first">
      <Table.ScrollContainer minWidth={640}>
        <Table
          data={{
            head: ['Received', 'Endpoint', 'Build', 'Field', 'Reason'],
            body: losses.map(({ at, server, endpoint, build, field, reason }) => [
              <RelativeTime key="at" at={at} />,
              `${endpoint} (${server})`,
              build ?? 'unknown',
              field ?? 'whole message',
              reason,
            ]),
          }}
        />
      </Table.ScrollContainer>
    </Section>
  )
}
