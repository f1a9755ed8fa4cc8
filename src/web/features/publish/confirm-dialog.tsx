import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactElement, useRef, useState } from 'react'
import type { PublishQuestion } from '../../data/publish/publisher.ts'
import { countOf } from '../../../protocol/count.ts'
import { packageText } from '../../domain/package/package-links.ts'
import css from './publish.module.css'
import { Fact, Facts } from '../../ui/page.tsx'

/** Asks once more, as publishing cannot be undone: what is published, and for which package. */
export function ConfirmDialog({
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
            <span className={css.id}>sha256:{sha256}</span>
          </Fact>
          <Fact name="Repository">
            <span className={css.id}>{repositoryUrl}</span>
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
