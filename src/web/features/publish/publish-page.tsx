import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactElement, type RefObject, useEffect, useRef, useState } from 'react'
import { PolicyServiceScope } from '../../domain/package/policy-service-scope.tsx'
import { countOf } from '../../../protocol/count.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { usePageServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import {
  isPublishing,
  type Publisher,
  type PublishQuestion,
  type PublishView,
} from '../../data/publish/publisher.ts'
import { useMay } from '../../domain/permission/may.ts'
import { withPackage } from '../../domain/package/remembered-packages.ts'
import { usePreferenceStore } from '../../ui/device-preferences.ts'
import { useAskBeforeLeaving } from '../../ui/drafts.ts'
import { Notice } from '../../ui/notice.tsx'
import { Fact, Facts, FormPage, PageHeader } from '../../ui/page.tsx'
import { VisuallyHidden } from '../../ui/text.tsx'
import { PublishForm } from './publish-form.tsx'
import { PublishResults } from './publish-results.tsx'
import { publishSentence, storedBefore } from './publish-text.ts'

/**
 * Publishing attestations of a package: choose builds, name the package, watch what is stored. The
 * parts stand on their own, as results come ten times a second and a phone draws the form for long.
 */
export function PublishPage(): ReactElement {
  return (
    <PolicyServiceScope>
      <PublishScreen />
    </PolicyServiceScope>
  )
}

function PublishScreen(): ReactElement {
  const { publisher } = usePageServices()
  const { reason } = useMay('publish')
  const [requested, setRequested] = useState<PublishQuestion>()
  const page = useRef<HTMLDivElement>(null)
  const headline = useRef<HTMLHeadingElement>(null)
  return (
    <div ref={page}>
      <FormPage header={<PublishProgress publisher={publisher} headline={headline} />}>
        {/* Before somebody fills in the whole form. */}
        {reason !== undefined && <Notice>You can't publish attestations. {reason}</Notice>}
        <PublishForm publisher={publisher} onReady={setRequested} />
      </FormPage>
      {requested !== undefined && (
        <ConfirmDialog
          question={requested}
          storedBefore={storedBefore(publisher.getSnapshot(), requested)}
          onPublish={() => {
            publisher.publish(requested)
            page.current?.scrollIntoView({ block: 'start' })
            headline.current?.focus({ preventScroll: true })
          }}
          onClose={() => {
            setRequested(undefined)
          }}
        />
      )}
    </div>
  )
}

/**
 * How the last publication stands: the sentence on top of the page, and what came of it. The sentence
 * takes the focus when the button that had it goes.
 */
function PublishProgress({
  publisher,
  headline,
}: {
  publisher: Publisher
  headline: RefObject<HTMLHeadingElement | null>
}): ReactElement {
  const view = useStore(publisher)
  useRemembering(view)
  useAskBeforeLeaving(isPublishing(view.state))
  return (
    <>
      <Headline view={view} sentenceRef={headline} />
      {view.question !== undefined && (
        <PublishResults
          view={view}
          question={view.question}
          onCancel={() => {
            publisher.cancel()
            headline.current?.focus()
          }}
          onClear={() => {
            publisher.clear()
            headline.current?.focus()
          }}
        />
      )}
    </>
  )
}

function Headline({
  view,
  sentenceRef,
}: {
  view: PublishView
  sentenceRef: RefObject<HTMLHeadingElement | null>
}): ReactElement {
  const sentence = publishSentence(view)
  return (
    <>
      <PageHeader
        sentence={
          sentence?.text ?? 'Publish attestations: choose builds, then the package they produced.'
        }
        tone={sentence?.tone}
        sentenceRef={sentenceRef}
      />
      {/* What counts up is not read out; the end is. */}
      <span role="status">
        <VisuallyHidden>
          {isPublishing(view.state) ? 'Publishing' : (sentence?.text ?? '')}
        </VisuallyHidden>
      </span>
    </>
  )
}

/** Keeps on this device which package was published for, and of which builds, if any was stored. */
function useRemembering({ question, stored, endedAt }: PublishView): void {
  const store = usePreferenceStore()
  useEffect(() => {
    if (question === undefined || endedAt === undefined || stored === 0) return
    const { address, sha256, repositoryUrl, builds } = question
    const { packages = [] } = store.get()
    const used = withPackage(packages, { address, sha256, repositoryUrl, builds })
    if (used !== packages) store.change({ packages: used })
  }, [store, question, stored, endedAt])
}

/** Asks once more, as publishing cannot be undone: what is published, and for which package. */
function ConfirmDialog({
  question,
  storedBefore,
  onPublish,
  onClose,
}: {
  question: PublishQuestion
  /** Attestations of the artifact that were stored a moment ago. */
  storedBefore: number
  onPublish: () => void
  onClose: () => void
}): ReactElement {
  const [isOpen, setOpen] = useState(true)
  const isConfirmed = useRef(false)
  const { address, sha256, repositoryUrl } = question
  const name = packageText(address)
  return (
    <Modal
      opened={isOpen}
      size={560}
      title={`Publish attestations for ${name}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
      // The focus goes back to the button of the form, or to the sentence that says what happens.
      onClose={() => {
        setOpen(false)
      }}
      onExitTransitionEnd={() => {
        if (isConfirmed.current) onPublish()
        onClose()
      }}
    >
      <Stack gap={12} style={{ overflowWrap: 'anywhere' }}>
        <Text>
          <strong>This can't be undone:</strong> stored attestations are signed and permanent, and
          policy scans of the package use them.
        </Text>
        {storedBefore > 0 && (
          <Text>
            {countOf(storedBefore, 'attestation')} of it {storedBefore === 1 ? 'was' : 'were'}{' '}
            stored by the previous publication: identical attestations are stored again.
          </Text>
        )}
        <Text>{selectionText(question)}</Text>
        <Facts>
          <Fact name="Digest">
            <Text span ff="monospace" fz="xs">
              sha256:{sha256}
            </Text>
          </Fact>
          <Fact name="Repository">
            <Text span ff="monospace" fz="xs">
              {repositoryUrl}
            </Text>
          </Fact>
        </Facts>
        <Group gap={8} justify="flex-end">
          <Button
            variant="default"
            data-autofocus
            onClick={() => {
              setOpen(false)
            }}
          >
            Cancel
          </Button>
          <Button
            h="auto"
            mih="var(--control-height)"
            styles={{ label: { whiteSpace: 'normal' } }}
            onClick={() => {
              isConfirmed.current = true
              setOpen(false)
            }}
          >
            Publish for {name}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function selectionText({ builds, queries }: PublishQuestion): string {
  const parts = [
    ...(builds.length === 0 ? [] : [countOf(builds.length, 'build')]),
    ...(queries.length === 0
      ? []
      : [
          `the builds that ${countOf(queries.length, 'query matches', 'queries match')} at that time`,
        ]),
  ]
  return parts.length === 0
    ? 'No builds selected: the policy service attests only what it knows without builds.'
    : `Published for ${parts.join(' and ')}.`
}
