import { Button, Checkbox, Group, List, Modal, Stack, Text, Textarea } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import {
  concernsOf,
  concernSentence,
  decisionSentence,
  type PlaceState,
} from '../../../policy/decision.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Decision, DecisionConcern, DecisionSubject } from '../../../protocol/decision.ts'
import { useServices } from '../../data/core/services.ts'
import { decisionRefusal, useDecide } from '../../data/release/decisions.ts'
import { Notice } from '../../ui/notice.tsx'

/** What is decided: a release of these places, or that the standing release no longer counts. */
export type Wanted = 'release' | 'revoke'

/**
 * Decides, with a reason. What speaks against a release is to be confirmed, and so is a decision that
 * somebody else has made since the dialog was opened.
 */
export function DecisionDialog({
  wanted,
  subject,
  name,
  places,
  newest: seen,
  caveats = [],
  onClose,
}: {
  wanted: Wanted
  subject: DecisionSubject
  /** What is released, in words. */
  name: string
  places: readonly PlaceState[]
  /** The newest decision that was shown; undefined for none. */
  newest: Decision | undefined
  /** What speaks against a release besides, a sentence each. */
  caveats?: readonly string[]
  onClose: () => void
}): ReactElement {
  const { proxyNow } = useServices().session
  const decide = useDecide()
  const [reason, setReason] = useState('')
  const [mistake, setMistake] = useState<string>()
  const [isAccepted, setAccepted] = useState(false)
  const refusal = decide.error === null ? undefined : decisionRefusal(decide.error)
  const newest = refusal?.newest === undefined ? seen : (refusal.newest ?? undefined)
  const isOvertaken = refusal?.newest !== undefined
  const concerns = wanted === 'release' ? concernsOf(places, proxyNow()) : []
  const more = refusal?.concerns ?? []
  const accepted: DecisionConcern[] = [
    ...new Set([...concerns.map(({ concern }) => concern), ...more]),
  ]
  const against = wanted === 'release' ? [...concerns.map(concernSentence), ...caveats] : []
  const hasConcerns = against.length + more.length > 0
  const runs = new Set(places.flatMap(({ run }) => run?.id ?? [])).size
  const verb = wanted === 'revoke' ? 'Revoke' : 'Release'
  // A release that was revoked meanwhile is not revoked again.
  const isPointless = wanted === 'revoke' && newest?.action !== 'release'

  function send(): void {
    if (reason.trim() === '') {
      setMistake(wanted === 'release' ? 'Enter why it is released.' : 'Enter why it is revoked.')
      return
    }
    if (hasConcerns && !isAccepted) {
      setMistake(undefined)
      return
    }
    decide.mutate(
      wanted === 'revoke'
        ? { action: 'revoke', subject, reason: reason.trim(), newest: newest?.id ?? '' }
        : {
            action: 'release',
            subject,
            reason: reason.trim(),
            newest: newest?.id ?? null,
            places: places.map(({ packagePath, sha256, repositoryUrl, scan, run }) => {
              return { packagePath, sha256, repositoryUrl, scan, run: run?.id ?? null }
            }),
            accepted,
          },
      { onSuccess: onClose },
    )
  }

  return (
    <Modal
      opened
      size={600}
      title={`${verb} ${wanted === 'revoke' ? 'the release of ' : ''}${name}?`}
      onClose={onClose}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!decide.isPending && !isPointless) send()
        }}
      >
        <Stack gap={12}>
          <Text>
            {wanted === 'release'
              ? `The decision stands on ${countOf(runs, 'recorded run')}, which ${runs === 1 ? 'is' : 'are'} kept with ${runs === 1 ? 'its' : 'their'} waivers. It stays in the history; only another entry revokes it.`
              : 'The release no longer counts. It stays in the history with your reason.'}
          </Text>
          {refusal !== undefined && (
            <Notice role="alert" tone={isOvertaken ? 'waiting' : 'bad'}>
              {refusal.text}
              {isOvertaken && newest !== undefined && (
                <Text mt={4}>
                  {decisionSentence(newest, name)}. Read it, then {verb.toLowerCase()} again if your
                  decision still holds.
                </Text>
              )}
            </Notice>
          )}
          {hasConcerns && (
            <Notice testId="concerns">
              <List listStyleType="disc" ps={16}>
                {against.map((sentence) => (
                  <List.Item key={sentence}>{sentence}</List.Item>
                ))}
              </List>
              <Checkbox
                mt={8}
                label="Release anyway"
                checked={isAccepted}
                onChange={(event) => {
                  setAccepted(event.currentTarget.checked)
                }}
                error={
                  decide.isIdle && mistake === undefined && reason.trim() !== '' && !isAccepted
                    ? 'Confirm that you have read this.'
                    : undefined
                }
              />
            </Notice>
          )}
          <Textarea
            label="Reason"
            autosize
            minRows={2}
            maxLength={2000}
            data-autofocus
            value={reason}
            error={mistake}
            onChange={(event) => {
              setReason(event.currentTarget.value)
              setMistake(undefined)
            }}
          />
          <Group gap={8} justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" aria-disabled={decide.isPending || isPointless}>
              {decide.isPending ? 'Sending…' : hasConcerns ? `${verb} anyway` : verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
