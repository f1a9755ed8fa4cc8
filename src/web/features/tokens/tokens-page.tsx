import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Button, Code, Group, Stack, Text } from '@mantine/core'
import type { AccessTokenRequest } from '../../../protocol/build-data.ts'
import { CreatedToken, createTokenAddress, TokenRefusal } from '../../../protocol/access-token.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { useServices } from '../../data/core/services.ts'
import { writeClipboard } from '../../ui/copy.tsx'
import { Notice } from '../../ui/notice.tsx'
import pageCss from '../../ui/page.module.css'
import { EmptyState, FormPage, PageHeader, Section } from '../../ui/page.tsx'
import { ProblemPanel } from '../../ui/problem.tsx'
import { TokenForm } from './token-form.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { momentText } from '../../ui/format.ts'

/** Creates access tokens of the build server, for admins where the configuration allows it. */
export function TokensPage(): ReactElement {
  const config = useQuery(configQuery(useServices().request))
  if (config.data === undefined) {
    return (
      <div className={pageCss.page}>
        {config.isError ? (
          <ProblemPanel
            isPage
            problem={problemWords(config.error, {
              action: 'show',
              noun: 'this page',
              server: 'Sightline server',
            })}
            retry={{ label: 'Try again', run: config.refetch }}
          />
        ) : (
          <PageHeader sentence="Loading tokens…" />
        )}
      </div>
    )
  }
  const { createTokens, upstreams } = config.data
  if (!createTokens || upstreams.buildData.kind === 'none') {
    return (
      <EmptyState heading="h1" title="Creating access tokens is off.">
        <p>
          With this page, admins create short-lived access tokens for the build server. To turn it
          on, your administrator sets <code>SIGHTLINE_CREATE_TOKENS=on</code> and restarts
          Sightline.
        </p>
      </EmptyState>
    )
  }
  return <Tokens origin={upstreams.buildData.origin} />
}

function Tokens({ origin }: { origin: string | null }): ReactElement {
  const create = useCreateToken()
  const server = origin === null ? 'the build server' : new URL(origin).host
  const { data: created, error, isPending, variables } = create
  if (created !== undefined) {
    return (
      <FormPage
        header={
          <PageHeader
            tone="good"
            sentence={`Access token for ${server} created. It is shown only once.`}
          />
        }
      >
        <CreatedTokenView created={created} origin={origin} onDone={create.reset} />
      </FormPage>
    )
  }
  const refusal = error === null ? undefined : refusalOf(error)
  // The page is there only where Sightline itself has the operation.
  const isMissing = error instanceof ProblemError && error.status === 404
  const sentence = isMissing
    ? "The build server doesn't issue access tokens. They need Develocity 2024.1 or newer."
    : refusal && error?.message
  return (
    <FormPage header={<PageHeader sentence={`Create an access token for ${server}.`} />}>
      {sentence !== undefined && (
        <Notice tone="bad" role="alert">
          {sentence}
        </Notice>
      )}
      {error !== null && sentence === undefined && (
        <ProblemPanel
          problem={problemWords(error, {
            action: 'create',
            noun: 'the access token',
            server: 'build server',
          })}
          retry={{
            label: 'Try again',
            run: () => {
              create.mutate(variables)
            },
          }}
        />
      )}
      <TokenForm
        refusal={refusal}
        isSending={isPending}
        onCreate={create.mutate}
        onChange={() => {
          if (error !== null) create.reset()
        }}
      />
    </FormPage>
  )
}

/** The token is kept for as long as the page shows it, and nowhere after that. */
function useCreateToken() {
  const { request } = useServices()
  return useMutation<CreatedToken, Error, AccessTokenRequest>({
    mutationFn: (wanted) => request(createTokenAddress(wanted), CreatedToken, { method: 'POST' }),
    gcTime: 0,
  })
}

function refusalOf(error: Error): TokenRefusal | undefined {
  return error instanceof ProblemError && error.status === 403
    ? TokenRefusal.safeParse(error.problem).data
    : undefined
}

/**
 * The one time that a token is shown: it is in no storage, no address and no message that outlasts
 * the page.
 */
function CreatedTokenView({
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
    void writeClipboard(token).then((isDone) => {
      setCopied(isDone ? 'copied' : 'blocked')
    })
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
            ? "The token doesn't say when it expires."
            : `It expires on ${momentText(expiresAt, zone)}.`}{' '}
          Sightline doesn't keep it: after you leave this page, nobody can see it again. It can't be
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
