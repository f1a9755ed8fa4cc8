import { Text } from '@mantine/core'
import { type ReactElement, useEffect, useState } from 'react'
import * as z from 'zod/mini'
import {
  longestQuarantineDays,
  type NewQuarantine,
  type QuarantinedTest,
} from '../../../protocol/quarantine.ts'
import { type TestId, testName } from '../../../protocol/test-insight.ts'
import { changeRefusal } from '../../data/core/problem-words.ts'
import { useServices } from '../../data/core/services.ts'
import { useEndQuarantine, useQuarantineTest } from '../../data/tests/quarantine.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { useMay } from '../../domain/permission/may.ts'
import { presetDays } from '../../domain/waiver/waiver-draft.ts'
import { expiryAfter, momentFieldText, readMomentField } from '../../ui/moment-field.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useDraftState } from '../../ui/drafts.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { momentText, viewerZone } from '../../ui/format.ts'
import { PresetEnds, ReasonUntil } from '../../ui/reason-until.tsx'

const longestMs = longestQuarantineDays * 86_400_000

/** Quarantines a test until a date, or gives one that is quarantined another end. */
export function QuarantineDialog({
  test,
  quarantined,
  onClose,
}: {
  test: TestId
  quarantined: QuarantinedTest | undefined
  onClose: () => void
}): ReactElement {
  const { zone } = usePreferences()
  const { proxyNow } = useServices().session
  const { reason: refused } = useMay('quarantine')
  const [add, end] = [useQuarantineTest(), useEndQuarantine()]
  const draft = `quarantine ${JSON.stringify(test)}`
  const [reason, setReason] = useDraftState(
    `${draft} reason`,
    z.string(),
    quarantined?.reason ?? '',
  )
  const [ends, setEnds] = useDraftState(`${draft} ends`, z.string(), () =>
    quarantined === undefined || quarantined.until <= proxyNow()
      ? expiryAfter(14, { now: proxyNow(), longestMs, zone })
      : momentFieldText(quarantined.until, zone),
  )
  const [mistakes, setMistakes] = useState<{ reason?: string; ends?: string }>({})
  const error = add.error ?? end.error
  const isSending = add.isPending || end.isPending
  // Of what failed only the response may be lost: then the list says that it is done.
  const isDone =
    (add.isError && isAs(quarantined, add.variables)) || (end.isError && quarantined === undefined)
  useEffect(() => {
    if (isDone) onClose()
  }, [isDone, onClose])
  function send(): void {
    const until = readMomentField(ends, zone, proxyNow())
    const found = {
      ...(reason.trim() === '' ? { reason: 'Enter why this test may fail for a while.' } : {}),
      ...(until === undefined || until <= proxyNow()
        ? { ends: 'Enter a date in the future.' }
        : {}),
      ...(until !== undefined && until > proxyNow() + longestMs
        ? { ends: `Enter a date within ${longestQuarantineDays} days.` }
        : {}),
    }
    setMistakes(found)
    if (until === undefined || Object.keys(found).length > 0) return
    end.reset()
    add.mutate({ test, reason: reason.trim(), until }, { onSuccess: onClose })
  }
  return (
    <FormDialog
      title={`Quarantine ${testName(test)}`}
      refusal={error === null ? refused : changeRefusal(error, 'list')}
      isSending={isSending}
      isDisabled={refused !== undefined}
      confirm={quarantined === undefined ? 'Quarantine' : 'Change quarantine'}
      more={
        quarantined !== undefined && (
          <PermittedButton
            permission="quarantine"
            variant="default"
            mr="auto"
            aria-disabled={isSending}
            onClick={() => {
              if (isSending) return
              add.reset()
              end.mutate(quarantined.id, { onSuccess: onClose })
            }}
          >
            End quarantine
          </PermittedButton>
        )
      }
      onConfirm={send}
      onClose={onClose}
    >
      <Text>
        {quarantined === undefined
          ? 'Builds that read the quarantine list leave this test out until the date.'
          : `Quarantined by ${quarantined.by} until ${momentText(quarantined.until, zone)}.`}
      </Text>
      <ReasonUntil
        reason={{ value: reason, error: mistakes.reason, onChange: setReason, maxLength: 2_000 }}
        until={{
          label: `Ends (${viewerZone(zone)})`,
          value: ends,
          error: mistakes.ends,
          onChange: setEnds,
        }}
      />
      <PresetEnds
        days={presetDays(longestMs)}
        onPick={(days) => {
          setEnds(expiryAfter(days, { now: proxyNow(), longestMs, zone }))
        }}
      />
    </FormDialog>
  )
}

function isAs(quarantined: QuarantinedTest | undefined, sent: NewQuarantine): boolean {
  return quarantined?.reason === sent.reason && quarantined.until === sent.until
}
