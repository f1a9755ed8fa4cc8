import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useState } from 'react'
import { buildReport, reportMarkdown } from '../../../facts/build-report.ts'
import { buildSentence } from '../../../facts/build-sentence.ts'
import { isBuildId } from '../../../protocol/build-message.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { scanAddress } from '../../../protocol/proxy-config.ts'
import { nameText } from '../../../search/values/text.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { useServices } from '../../data/core/services.ts'
import { basePath } from '../../ui/base-path.ts'
import { CopyButton, copyText } from '../../ui/copy.tsx'
import { durationText } from '../../ui/format.ts'
import { MenuPopover } from '../../ui/menu-popover.tsx'
import { PageHeader } from '../../ui/page.tsx'
import type { StatusTone } from '../../ui/status-mark.tsx'
import { type BuildAddress, type ChangeAddress, lastSuccess } from './build-address.ts'
import type { OriginKnowledge } from './failure-origin-view.tsx'
import type { Knowledge } from './use-knowledge.ts'

/** What happened, in one sentence; whose build it was is below it. */
export function BuildHeadline({
  buildId,
  knowledge,
  isLoading,
  isWhole,
  origin,
  address,
  onChange,
  children,
}: {
  buildId: string
  knowledge: Knowledge
  isLoading: boolean
  isWhole: boolean
  origin: OriginKnowledge
  address: BuildAddress
  onChange: ChangeAddress
  children: ReactNode
}): ReactElement {
  const { facts, header, failedTests, neighbours } = knowledge
  const story = {
    facts,
    failedIn: (header?.failures ?? []).flatMap(({ path }) => path ?? []),
    failedTests: failedTests?.total,
    streak: neighbours?.streak,
    isWhole,
  }
  const what = [facts?.project && nameText(facts.project), facts?.requested?.join(' ')]
    .filter(Boolean)
    .join(' · ')
  return (
    <PageHeader
      title={
        <>
          {what !== '' && (
            <Text span inherit lineClamp={2} title={what}>
              {what}
            </Text>
          )}
          <Group component="span" display="inline-flex" gap={0} wrap="nowrap" ff="monospace">
            <code>{buildId}</code>
            <CopyButton text={buildId} what={`build id ${buildId}`} />
          </Group>
        </>
      }
      tone={toneOf(facts?.outcome)}
      sentence={
        facts === undefined && !isLoading
          ? `No details of this build${isWhole ? '' : ' yet'}.`
          : buildSentence(story, durationText)
      }
      actions={
        <>
          <CompareActions
            buildId={buildId}
            compare={address.compare}
            previous={neighbours?.streak?.previous}
            onCompare={(compare) => {
              onChange({ compare, search: '', changes: [] })
            }}
          />
          <CopyReport knowledge={knowledge} origin={origin} />
        </>
      }
    >
      {children}
    </PageHeader>
  )
}

function toneOf(outcome: 'succeeded' | 'failed' | null | undefined): StatusTone {
  if (outcome === 'succeeded') return 'good'
  return outcome === 'failed' ? 'bad' : 'waiting'
}

/** Compares with the last success of the same work on the branch, or with any other build. */
function CompareActions({
  buildId,
  compare,
  previous,
  onCompare,
}: {
  buildId: string
  compare: string | undefined
  previous: string | undefined
  onCompare: (other: string | undefined) => void
}): ReactElement {
  return (
    <>
      {compare === undefined ? (
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            onCompare(lastSuccess)
          }}
        >
          Compare with last success
        </Button>
      ) : (
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            onCompare(undefined)
          }}
        >
          End comparison
        </Button>
      )}
      <MenuPopover label="Compare with…">
        {(close) => (
          <CompareForm
            buildId={buildId}
            previous={previous}
            onCompare={(other) => {
              close()
              onCompare(other)
            }}
          />
        )}
      </MenuPopover>
    </>
  )
}

/** Chooses what to compare with: the previous build where it is known, or any by its id. */
function CompareForm({
  buildId,
  previous,
  onCompare,
}: {
  buildId: string
  previous: string | undefined
  onCompare: (other: string) => void
}): ReactElement {
  const [typed, setTyped] = useState('')
  const [mistake, setMistake] = useState<string>()

  function submit(): void {
    const other = typed.trim()
    if (!isBuildId(other)) setMistake('A build id has 13 characters, such as k3j7x2m4q7a4c.')
    else if (other === buildId) setMistake('Enter the id of another build.')
    else onCompare(other)
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack gap="xs">
        <Button
          size="xs"
          variant="default"
          disabled={previous === undefined}
          onClick={() => {
            if (previous !== undefined) onCompare(previous)
          }}
        >
          {previous === undefined ? 'No previous build known' : 'Previous build of this work'}
        </Button>
        <TextInput
          value={typed}
          error={mistake}
          label="Build id"
          placeholder="k3j7x2m4q7a4c"
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setMistake(undefined)
          }}
        />
        <Button size="xs" variant="default" type="submit">
          Compare
        </Button>
      </Stack>
    </form>
  )
}

/** Puts a report of the build on the clipboard, for a pull request. */
function CopyReport({
  knowledge,
  origin,
}: {
  knowledge: Knowledge
  origin: OriginKnowledge
}): ReactElement {
  const { data: config } = useQuery(configQuery(useServices().request))
  const [isCopied, setCopied] = useState(false)
  const { facts, header, failedTests, neighbours, lastSuccess: success } = knowledge

  function markdown(known: Facts): string {
    const { buildId } = known
    const streak = neighbours?.streak
    const report = buildReport({
      facts: known,
      failures: header?.failures,
      failedTests,
      streak,
      lastSuccess: success ?? undefined,
      origin: origin.found,
      address: `${location.origin}${basePath}builds/${buildId}`,
      serverAddress: scanAddress(config?.upstreams.buildData, buildId),
    })
    return reportMarkdown(report, durationText)
  }

  return (
    <Button
      size="xs"
      variant="default"
      disabled={facts === undefined}
      onClick={() => {
        if (facts !== undefined) void copyText(markdown(facts)).then(setCopied)
      }}
      onBlur={() => {
        setCopied(false)
      }}
    >
      {isCopied ? 'Copied Markdown' : 'Copy as Markdown'}
    </Button>
  )
}
