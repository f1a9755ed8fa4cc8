import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import type { CreatedToken } from '../../../protocol/created-token.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'

/**
 * The one time that a token is shown: it is in no storage, no address and no message that outlasts
 * the page.
 */
export function CreatedTokenView({
  created: { token, expiresAt },
  origin,
  onDone,
}: {
  created: CreatedToken
  /** The build server's own; null for the embedded services. */
  origin: string | null
  onDone: () => void
}): ReactElement {
  const { zone } = usePreferences()
  const [copied, setCopied] = useState<'copied' | 'blocked'>()
  const server = origin ?? 'https://builds.example.com'

  function copy(): void {
    navigator.clipboard.writeText(token).then(
      () => {
        setCopied('copied')
      },
      () => {
        setCopied('blocked')
      },
    )
  }

  return (
    <Stack gap={16}>
      <Section title="Access token">
        <Code
          block
          tabIndex={0}
          aria-label="Access token"
          data-testid="access-token"
          style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
        >
          {token}
        </Code>
        <Group gap={8} mt={12}>
          <Button onClick={copy}>Copy token</Button>
          <Button variant="default" onClick={onDone}>
            Done
          </Button>
          <span role="status">
            {copied === 'copied' && 'Copied.'}
            {copied === 'blocked' && 'The browser blocks copying. Select the token and copy it.'}
          </span>
        </Group>
        <Text mt={12}>
          {expiresAt === null
            ? 'The token doesn’t say when it expires.'
            : `It expires on ${instantText(expiresAt, zone)}.`}{' '}
          Sightline doesn’t keep it: after you leave this page, nobody can see it again. It can’t be
          revoked, so treat it like a password.
        </Text>
      </Section>
      <Section title="Use it">
        <Text>Send it as a bearer token:</Text>
        <Code block tabIndex={0} aria-label="Request with the token">
          {`curl -H "Authorization: Bearer $ACCESS_TOKEN" \\\n  "${server}/api/builds?since=0&maxBuilds=10"`}
        </Code>
        <Text mt={8}>Build tools take it in place of an access key:</Text>
        <Code block tabIndex={0} aria-label="Variable for build tools">
          {`DEVELOCITY_ACCESS_KEY=${new URL(server).host}=$ACCESS_TOKEN`}
        </Code>
      </Section>
    </Stack>
  )
}
