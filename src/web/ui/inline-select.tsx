import { Group, NativeSelect, Text } from '@mantine/core'
import { type ReactElement, type ReactNode, useId } from 'react'

/** A choice in a line of tools, with its label in front; `children` are its options. */
export function InlineSelect({
  label,
  value,
  isDisabled = false,
  onChange,
  children,
}: {
  label: string
  value: string
  isDisabled?: boolean
  onChange: (value: string) => void
  children: ReactNode
}): ReactElement {
  const id = useId()
  return (
    <Group gap={8} wrap="nowrap" miw={0} maw="100%">
      <Text component="label" htmlFor={id} inherit c="dimmed">
        {label}
      </Text>
      <NativeSelect
        id={id}
        miw={0}
        maw="40ch"
        value={value}
        disabled={isDisabled}
        onChange={(event) => {
          onChange(event.currentTarget.value)
        }}
      >
        {children}
      </NativeSelect>
    </Group>
  )
}
