import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { memo, type ReactElement, type SyntheticEvent, useRef, useState } from 'react'
import { packagePath } from '../../../protocol/package-address.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { useStore } from '../../data/core/store.ts'
import {
  isPublishing,
  type Publisher,
  type PublishQuestion,
  type PublishView,
} from '../../data/publish/publisher.ts'
import { PackageFields, withReference } from '../../domain/package/package-fields.tsx'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { type RememberedPackage, usePreferences } from '../../ui/device-preferences.ts'
import { Section } from '../../ui/page.tsx'
import {
  curlCommand,
  type DraftMistakes,
  type DraftReading,
  readDraft,
  usePublishDraft,
  withBuildIds,
} from './publish-draft.ts'
import { BuildList } from './build-list.tsx'
import { refusedParts } from './publish-text.ts'
import { QueryList } from './query-list.tsx'

/** What is put together to be published; `onReady` gets it once all of it can be read. */
export const PublishForm = memo(function PublishForm({
  publisher,
  onReady,
}: {
  publisher: Publisher
  onReady: (question: PublishQuestion) => void
}): ReactElement {
  const { draft, timeZone, change, keep } = usePublishDraft()
  const refused = useStore(publisher, (view) => (view.state.is === 'refused' ? view : undefined))
  const [pasted, setPasted] = useState('')
  const [tried, setTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const whole = { ...draft, builds: withBuildIds(draft.builds, pasted) }
  const reading = readDraft(whole, timeZone)
  // An id that is still being written is no mistake yet.
  const written = pasted === '' ? reading : readDraft(draft, timeZone)
  const mistakes = {
    ...refusedNow(refused, written),
    ...(tried && !written.ok ? written.mistakes : {}),
  }

  function submit(event: SyntheticEvent): void {
    event.preventDefault()
    keep(whole)
    setPasted('')
    setTried(!reading.ok)
    if (reading.ok) {
      onReady(reading.question)
      return
    }
    const [first] = Object.keys(reading.mistakes)
    const selector =
      first === 'queries' ? '[role="textbox"], ol textarea' : `[name="${String(first)}"]`
    form.current?.querySelector<HTMLElement>(selector)?.focus()
  }

  return (
    <form ref={form} noValidate aria-label="Publish" onSubmit={submit}>
      <Stack gap={16}>
        <BuildList
          builds={draft.builds}
          pasted={pasted}
          mistake={mistakes.builds}
          onPasted={setPasted}
          onChange={(builds) => {
            keep({ ...draft, builds })
          }}
        />
        <QueryList
          queries={draft.queries}
          timeZone={timeZone}
          mistake={mistakes.queries}
          onChange={(queries) => {
            change({ ...draft, queries })
          }}
          onKeep={(queries) => {
            keep({ ...draft, queries })
          }}
        />

        <div
          onBlur={() => {
            keep()
          }}
        >
          <Section title="Subject">
            <PackageFields
              values={draft}
              mistakes={mistakes}
              onChange={(name, text) => {
                change(
                  name === 'reference' ? withReference(draft, text) : { ...draft, [name]: text },
                )
              }}
            />
            <Remembered
              onChoose={({ address, sha256, repositoryUrl }) => {
                change({ ...draft, reference: packageText(address), sha256, repositoryUrl })
              }}
            />
          </Section>
        </div>
        <RequestPreview reading={reading} />
        <SubmitButton publisher={publisher} />
      </Stack>
    </form>
  )
})

function SubmitButton({ publisher }: { publisher: Publisher }): ReactElement {
  const isDisabled = useStore(publisher, ({ state }) => isPublishing(state))
  return (
    <PermittedButton
      permission="publish"
      type="submit"
      style={{ alignSelf: 'flex-start' }}
      disabled={isDisabled}
    >
      Publish…
    </PermittedButton>
  )
}

/** What the service refused, for as long as what it refused stands there. */
function refusedNow(refused: PublishView | undefined, reading: DraftReading): DraftMistakes {
  if (refused?.state.is !== 'refused' || refused.question === undefined || !reading.ok) return {}
  const { state, question } = refused
  const parts = Object.entries(refusedParts(state.problem))
  const before = partsOf(question)
  const now = partsOf(reading.question)
  return Object.fromEntries(parts.filter(([part]) => now.get(part) === before.get(part)))
}

/** What stands in each part of the form, to be compared. */
function partsOf({ builds, queries, address, sha256, repositoryUrl }: PublishQuestion) {
  return new Map([
    ['builds', builds.join()],
    ['queries', queries.join('\n')],
    ['reference', packagePath(address)],
    ['sha256', sha256],
    ['repositoryUrl', repositoryUrl],
  ])
}

/** The request as a shell would send it; shown as soon as it can be put together. */
function RequestPreview({ reading }: { reading: DraftReading }): ReactElement {
  const command = reading.ok ? curlCommand(reading.question) : undefined
  return (
    <details>
      <summary>Request as curl</summary>
      {command === undefined ? (
        <Text c="dimmed" my={4}>
          Complete the form to see it.
        </Text>
      ) : (
        <>
          <Text c="dimmed" my={4}>
            First set GOVERNOR_URL to the URL of the policy service and GOVERNOR_TOKEN to your own
            token. <CopyButton text={command} what="the request as curl" />
          </Text>
          <Code
            block
            tabIndex={0}
            aria-label="Request as curl"
            mah={320}
            style={{ overflow: 'auto' }}
          >
            {command}
          </Code>
        </>
      )}
    </details>
  )
}

/** As many as fit in two lines. */
const mostOffered = 6

/** The packages that were used before on this device. */
function Remembered({
  onChoose,
}: {
  onChoose: (chosen: RememberedPackage) => void
}): ReactElement | null {
  const { packages = [] } = usePreferences()
  if (packages.length === 0) return null
  return (
    <Group gap="4px 8px" role="group" aria-label="Packages used on this device">
      <Text span inherit c="dimmed">
        Used on this device:
      </Text>
      {packages.slice(0, mostOffered).map((one) => (
        <Button
          key={`${packagePath(one.address)} ${one.sha256} ${one.repositoryUrl}`}
          variant="default"
          ff="monospace"
          fz="xs"
          title={`sha256:${one.sha256} in ${one.repositoryUrl}`}
          onClick={() => {
            onChoose(one)
          }}
        >
          {packageText(one.address)}
        </Button>
      ))}
    </Group>
  )
}
