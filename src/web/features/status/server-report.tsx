import { useQuery } from '@tanstack/react-query'
import { Anchor, Table } from '@mantine/core'
import type { ReactElement } from 'react'
import { countOf, countText } from '../../../protocol/count.ts'
import { StatusReport, statusReportPath } from '../../../protocol/status-report.ts'
import { useServices } from '../../data/core/services.ts'
import { dayText } from '../../ui/format.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { Fact, Facts, Section } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'

/** What the servers behind the proxy sent: the version they speak, what ends, what was unreadable. */
export function ServerReport(): ReactElement | null {
  const { request } = useServices()
  const { data } = useQuery({
    queryKey: ['status-report'],
    queryFn: ({ signal }) => request(statusReportPath, StatusReport, { signal }),
    refetchInterval: 15_000,
  })
  if (data === undefined) return null
  return (
    <>
      <Section title="Servers">
        <Facts>
          <Fact name="Export stream">{versionText(data.buildServer.exportVersion)}</Fact>
          <Fact name="Deprecated endpoints">
            {data.deprecated.length === 0 ? 'none in use' : countText(data.deprecated.length)}
          </Fact>
          <Fact name="Unreadable data">
            {data.losses.count === 0
              ? 'none'
              : countOf(data.losses.count, 'field or message', 'fields and messages')}
          </Fact>
        </Facts>
      </Section>
      {data.deprecated.length > 0 && <Deprecated endpoints={data.deprecated} />}
      {data.losses.last.length > 0 && <Unreadable losses={data.losses.last} />}
    </>
  )
}

function versionText({ setting, spoken }: StatusReport['buildServer']['exportVersion']): string {
  if (spoken === null)
    return setting === 'auto' ? 'no version has responded yet' : `${setting} (by setting)`
  const version = spoken === 'v1' ? 'version 1, which has Gradle builds only' : 'version 2'
  return setting === 'auto' ? `${version} (detected)` : `${version} (by setting)`
}

function Deprecated({ endpoints }: { endpoints: StatusReport['deprecated'] }): ReactElement {
  const { zone } = usePreferences()
  const day = (at: number | null): string =>
    at === null ? 'not stated' : dayText(at, zone, 'date')
  return (
    <Section title="Deprecated endpoints">
      <Table.ScrollContainer minWidth={640}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Endpoint</Table.Th>
              <Table.Th>Deprecated since</Table.Th>
              <Table.Th>Removed on</Table.Th>
              <Table.Th>More</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {endpoints.map(({ server, endpoint, since, until, links }) => (
              <Table.Tr key={`${server} ${endpoint}`}>
                <Table.Td>{`${endpoint} (${server})`}</Table.Td>
                <Table.Td>{day(since)}</Table.Td>
                <Table.Td>{day(until)}</Table.Td>
                <Table.Td>
                  {links.map((link) => (
                    <Anchor key={link} href={link} target="_blank" rel="noreferrer" size="sm">
                      {new URL(link).host}
                    </Anchor>
                  ))}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  )
}

function Unreadable({ losses }: { losses: StatusReport['losses']['last'] }): ReactElement {
  return (
    <Section title="Unreadable data, newest first">
      <Table.ScrollContainer minWidth={640}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Received</Table.Th>
              <Table.Th>Endpoint</Table.Th>
              <Table.Th>Build</Table.Th>
              <Table.Th>Field</Table.Th>
              <Table.Th>Reason</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {losses.map(({ at, server, endpoint, build, field, reason }, index) => (
              <Table.Tr key={index}>
                <Table.Td>
                  <RelativeTime at={at} />
                </Table.Td>
                <Table.Td>{`${endpoint} (${server})`}</Table.Td>
                <Table.Td>{build ?? 'unknown'}</Table.Td>
                <Table.Td>{field ?? 'whole message'}</Table.Td>
                <Table.Td>{reason}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  )
}
