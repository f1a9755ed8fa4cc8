import { Button, Group, Textarea, TextInput } from '@mantine/core'
import type { ReactElement } from 'react'

/** One field of a form: what was typed, and what is wrong with it. */
interface Typed {
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

/** Why something is set aside, and until when: the reason has the focus first. */
export function ReasonUntil({
  reason,
  until,
}: {
  /** `maxLength` in characters. */
  reason: Typed & { readonly maxLength: number }
  /** `label` names the zone in which the time is typed. */
  until: Typed & { readonly label: string }
}): ReactElement {
  return (
    <>
      <Textarea
        label="Reason"
        data-autofocus
        autosize
        minRows={2}
        maxLength={reason.maxLength}
        value={reason.value}
        error={reason.error}
        onChange={({ currentTarget }) => {
          reason.onChange(currentTarget.value)
        }}
      />
      <TextInput
        type="datetime-local"
        label={until.label}
        value={until.value}
        error={until.error}
        onChange={({ currentTarget }) => {
          until.onChange(currentTarget.value)
        }}
      />
    </>
  )
}

/** A button for each usual time until the end, in days. */
export function PresetEnds({
  days,
  onPick,
}: {
  days: readonly number[]
  onPick: (days: number) => void
}): ReactElement {
  return (
    <Group gap={8}>
      {days.map((one) => (
        <Button
          key={one}
          variant="default"
          onClick={() => {
            onPick(one)
          }}
        >
          In {one} days
        </Button>
      ))}
    </Group>
  )
}
