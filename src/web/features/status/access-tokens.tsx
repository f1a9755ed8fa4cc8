import { Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { AccessTokenList, accessTokensPath } from '../../../protocol/access-token.ts'
import { mayDo } from '../../../protocol/permission.ts'
import type { ProxyConfig } from '../../../protocol/proxy-config.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { useServices, useSessionUser } from '../../data/core/services.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { ProblemPanel } from '../../ui/problem.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'

/** Whose access tokens to Sightline there are, and when each was last used: for admins. */
export function AccessTokens({ signIn }: { signIn: ProxyConfig['signIn'] }): ReactElement | null {
  const user = useSessionUser()
  const isShown = signIn !== 'none' && user !== undefined && mayDo(user, 'read-audit-log')
  return isShown ? <TokenTable /> : null
}

function TokenTable(): ReactElement {
  const { request } = useServices()
  const { zone } = usePreferences()
  const now = useNow()
  const { data, error, refetch } = useQuery({
    queryKey: ['access-tokens'],
    queryFn: ({ signal }) => request(accessTokensPath, AccessTokenList, { signal }),
  })
  return (
    <Section title="Access tokens to Sightline">
      {error !== null && (
        <ProblemPanel
          problem={problemWords(error, {
            action: 'show',
            noun: 'the access tokens',
            server: 'Sightline server',
          })}
          retry={{ label: 'Try again', run: () => void refetch() }}
        />
      )}
      {data?.tokens.length === 0 && (
        <p>
          None. Create one with <code>sightline token create</code> and add its lines to the
          configuration file.
        </p>
      )}
      {data !== undefined && data.tokens.length > 0 && (
        <Table.ScrollContainer minWidth={640}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>User</Table.Th>
                <Table.Th>Role</Table.Th>
                <Table.Th>Token</Table.Th>
                <Table.Th>Created</Table.Th>
                <Table.Th>Expires</Table.Th>
                <Table.Th>Last used</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.tokens.map(({ name, roles, prefix, createdAt, expiresAt, lastUsedAt }) => (
                <Table.Tr key={`${name} ${prefix}`}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td>{roles.join(', ')}</Table.Td>
                  <Table.Td>{`${prefix}…`}</Table.Td>
                  <Table.Td>{dayText(createdAt, zone, 'date')}</Table.Td>
                  <Table.Td>
                    {`${expiresAt <= now ? 'expired on ' : ''}${dayText(expiresAt, zone, 'date')}`}
                  </Table.Td>
                  <Table.Td>
                    {lastUsedAt === null ? 'never' : <RelativeTime at={lastUsedAt} />}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Section>
  )
}
