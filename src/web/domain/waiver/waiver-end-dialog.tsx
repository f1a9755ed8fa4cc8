import { Button, Group, Text, TextInput } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { policyName } from '../../../policy/policy-group.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { useServices } from '../../data/core/services.ts'
import { useEndWaivers, useGiveWaivers, waiverRefusal } from '../../data/scans/waivers.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { viewerZone } from '../../ui/format.ts'
import { expiryAfter } from '../../ui/moment-field.ts'
import { presetDays, readWaiverDraft } from './waiver-draft.ts'
import { WaiverMark } from './waiver-mark.tsx'

/** Ends waivers before their time, or declines those that wait for approval. */
export function EndWaivers({
  waivers,
  onClose,
}: {
  waivers: readonly Waiver[]
  onClose: () => void
}): ReactElement {
  const end = useEndWaivers()
  const [first] = waivers
  const name = first === undefined ? '' : policyName(first.policyUri).name
  const isOne = waivers.length === 1
  const what = isOne ? `the waiver for ${name}` : countOf(waivers.length, 'waiver')
  return (
    <FormDialog
      title={`End ${what} now?`}
      refusal={end.error === null ? undefined : waiverRefusal(end.error)}
      isSending={end.isPending}
      confirm={isOne ? 'End waiver' : `End ${countOf(waivers.length, 'waiver')}`}
      onConfirm={() => {
        end.mutate(
          waivers.map(({ id }) => id),
          { onSuccess: onClose },
        )
      }}
      onClose={onClose}
    >
      {isOne && first !== undefined && <WaiverMark waiver={first} />}
      <Text>
        {isOne
          ? 'The policy counts as failing again immediately. The waiver stays in the history.'
          : 'Their policies count as failing again immediately. The waivers stay in the history.'}
      </Text>
    </FormDialog>
  )
}

/** Renews waivers: each gets another entry with a new end, and the same reason, person and ticket. */
export function RenewWaivers({
  waivers,
  longestMs,
  onClose,
}: {
  waivers: readonly Waiver[]
  /** The longest that a waiver may last, ms. */
  longestMs: number
  onClose: () => void
}): ReactElement {
  const give = useGiveWaivers()
  const { proxyNow } = useServices().session
  const { zone } = usePreferences()
  const clock = () => ({ now: proxyNow(), longestMs, zone })
  const [expires, setExpires] = useState(() => expiryAfter(14, clock()))
  const [mistake, setMistake] = useState<string>()
  const [first] = waivers
  const isOne = waivers.length === 1 && first !== undefined
  const what = isOne
    ? `the waiver for ${policyName(first.policyUri).name}`
    : countOf(waivers.length, 'waiver')

  function send(): void {
    const read = readWaiverDraft({ reason: '-', person: '-', ticket: '', expires }, clock())
    setMistake(read.ok ? undefined : read.mistakes.expires)
    if (!read.ok) return
    const { expiresAt } = read.waiver
    const renewed = waivers.map(
      ({ packagePath, sha256, scan, policyUri, reason, person, ticket, versions, id }) => ({
        ...{ packagePath, sha256, scan, policyUri, reason, person, ticket, versions },
        expiresAt,
        renews: id,
      }),
    )
    give.mutate(renewed, { onSuccess: onClose })
  }

  return (
    <FormDialog
      title={`Renew ${what}?`}
      refusal={give.error === null ? undefined : waiverRefusal(give.error)}
      isSending={give.isPending}
      confirm={isOne ? 'Renew waiver' : `Renew ${countOf(waivers.length, 'waiver')}`}
      onConfirm={send}
      onClose={onClose}
    >
      {isOne && <WaiverMark waiver={first} />}
      <Text>
        {isOne
          ? 'A new waiver takes the place of this one, with the same reason. The old one stays in the history.'
          : 'A new waiver takes the place of each, with the same reason. The old ones stay in the history.'}
      </Text>
      <TextInput
        type="datetime-local"
        label={`Expires (${viewerZone(zone)})`}
        data-autofocus
        value={expires}
        error={mistake}
        onChange={(event) => {
          setExpires(event.currentTarget.value)
        }}
      />
      <Group gap={8}>
        {presetDays(longestMs).map((days) => (
          <Button
            key={days}
            variant="default"
            onClick={() => {
              setExpires(expiryAfter(days, clock()))
            }}
          >
            In {days} days
          </Button>
        ))}
      </Group>
    </FormDialog>
  )
}
