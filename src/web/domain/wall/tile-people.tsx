import { Group, Text } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import * as z from 'zod/mini'
import type { TilePeople } from '../../../facts/tile-claim.ts'
import { type ClaimedTile, longestSleepDays, type TileClaim } from '../../../protocol/claim.ts'
import { useServices, useSessionUser } from '../../data/core/services.ts'
import { useSayOfTile, useTakeBack } from '../../data/wall/claims.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useDraftState } from '../../ui/drafts.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { viewerZone } from '../../ui/format.ts'
import { expiryAfter, readMomentField } from '../../ui/moment-field.ts'
import { Notice } from '../../ui/notice.tsx'
import { ReasonUntil } from '../../ui/reason-until.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import { useMay } from '../permission/may.ts'
import { PermittedButton } from '../permission/permitted-button.tsx'
import { claimText, sleepText } from './claim-text.ts'

const longestMs = longestSleepDays * 86_400_000

/** Who is on a failing tile and until when it sleeps, and what one can say of it. */
export function TilePeopleControls({
  title,
  tile,
  people: { claim, sleep },
  isOver = false,
  hasFocus = false,
}: {
  title: string
  tile: ClaimedTile
  people: TilePeople
  /** It has succeeded meanwhile. */
  isOver?: boolean
  /** In a dialog, the focus begins here. */
  hasFocus?: boolean
}): ReactElement {
  const { zone } = usePreferences()
  const [say, takeBack] = [useSayOfTile(), useTakeBack()]
  const [isSleeping, setSleeping] = useState(false)
  const user = useSessionUser()
  const isMine = claim !== undefined && claim.by === user?.name
  const { proxyNow } = useServices().session
  const since = useDerivedFromNow(() =>
    claim === undefined ? '' : claimText(claim, proxyNow(), zone),
  )
  const error = say.error ?? takeBack.error
  function end({ kind, createdAt }: TileClaim): void {
    say.reset()
    takeBack.mutate({ ...tile, kind, createdAt })
  }
  return (
    <>
      {since !== '' && <Text>{since}</Text>}
      {sleep !== undefined && <Text>{sleepText(sleep, zone)}</Text>}
      {isOver ? (
        <Text>This tile has succeeded.</Text>
      ) : (
        <Group gap={8} mt={4}>
          {/* One button, which keeps the focus. */}
          <PermittedButton
            permission="claim"
            variant="default"
            data-autofocus={hasFocus ? true : undefined}
            onClick={() => {
              if (isMine) end(claim)
              else {
                takeBack.reset()
                say.mutate({ ...tile, kind: 'claim', inPlaceOf: claim?.createdAt ?? null })
              }
            }}
          >
            {isMine ? 'Unclaim' : claim === undefined ? "I'm on it" : 'Take over'}
          </PermittedButton>
          {claim !== undefined && !isMine && (
            <PermittedButton
              permission="claim"
              variant="default"
              onClick={() => {
                end(claim)
              }}
            >
              Unclaim
            </PermittedButton>
          )}
          <PermittedButton
            permission="claim"
            variant="default"
            onClick={() => {
              if (sleep === undefined) setSleeping(true)
              else end(sleep)
            }}
          >
            {sleep === undefined ? 'Sleep until…' : 'Wake'}
          </PermittedButton>
        </Group>
      )}
      {error !== null && (
        <Notice role="alert" tone="bad">
          {error.message}
        </Notice>
      )}
      {isSleeping && (
        <SleepDialog
          title={title}
          tile={tile}
          isOver={isOver}
          sleep={sleep}
          onClose={() => {
            setSleeping(false)
          }}
        />
      )}
    </>
  )
}

function SleepDialog({
  title,
  tile,
  isOver,
  sleep,
  onClose,
}: {
  title: string
  tile: ClaimedTile
  isOver: boolean
  sleep: TilePeople['sleep']
  onClose: () => void
}): ReactElement {
  const { zone } = usePreferences()
  const { proxyNow } = useServices().session
  const { reason: refused } = useMay('claim')
  const over = isOver ? 'This tile has succeeded. It can sleep when it fails again.' : undefined
  const say = useSayOfTile()
  const draft = `sleep ${JSON.stringify([tile.query, tile.branch])}`
  const [reason, setReason] = useDraftState(`${draft} reason`, z.string(), '')
  const [ends, setEnds] = useDraftState(`${draft} ends`, z.string(), () =>
    expiryAfter(1, { now: proxyNow(), longestMs, zone }),
  )
  const [mistakes, setMistakes] = useState<{ reason?: string; ends?: string }>({})
  function send(): void {
    const until = readMomentField(ends, zone, proxyNow())
    const isGood = until !== undefined && until > proxyNow() && until <= proxyNow() + longestMs
    const found = {
      ...(reason.trim() === '' ? { reason: 'Enter why this failure can wait.' } : {}),
      ...(isGood ? {} : { ends: `Enter a time in the next ${longestSleepDays} days.` }),
    }
    setMistakes(found)
    if (until === undefined || Object.keys(found).length > 0) return
    // Nothing was said when the dialog was opened; what somebody has said since stands in its refusal.
    const inPlaceOf = say.isError ? (sleep?.createdAt ?? null) : null
    const said = { ...tile, kind: 'sleep', reason: reason.trim(), until, inPlaceOf } as const
    say.mutate(said, { onSuccess: onClose })
  }
  return (
    <FormDialog
      title={`Let ${title} sleep`}
      refusal={say.error?.message ?? over ?? refused}
      isSending={say.isPending}
      isDisabled={over !== undefined || refused !== undefined}
      confirm="Sleep"
      onConfirm={send}
      onClose={onClose}
    >
      <Text>
        It stays dimly red with this reason, and alerts don&rsquo;t repeat that it is failing. A
        success wakes it, and a new failure is shown as any other.
      </Text>
      <ReasonUntil
        reason={{ value: reason, error: mistakes.reason, onChange: setReason, maxLength: 500 }}
        until={{
          label: `Sleeps until (${viewerZone(zone)})`,
          value: ends,
          error: mistakes.ends,
          onChange: setEnds,
        }}
      />
    </FormDialog>
  )
}
