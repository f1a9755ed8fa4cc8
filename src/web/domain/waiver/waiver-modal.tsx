import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactElement, ReactNode, SyntheticEvent } from 'react'
import { waiverRefusal } from '../../data/scans/waivers.ts'
import { Notice } from '../../ui/notice.tsx'

/** A title, what the waiver needs, why it was refused, and the buttons. */
export function WaiverModal({
  title,
  refusal,
  isSending,
  confirm,
  onConfirm,
  onClose,
  children,
}: {
  title: string
  refusal: Error | null
  isSending: boolean
  /** The label of the button that does it. */
  confirm: string
  onConfirm: (event: SyntheticEvent<HTMLFormElement>) => void
  onClose: () => void
  children: ReactNode
}): ReactElement {
  return (
    <Modal
      opened
      size={600}
      title={title}
      onClose={onClose}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!isSending) onConfirm(event)
        }}
      >
        <Stack gap={12}>
          {children}
          {refusal !== null && (
            <Notice role="alert" tone="bad">
              {waiverRefusal(refusal)}
            </Notice>
          )}
          <Group gap={8} justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              mih={32}
              h="auto"
              style={{ whiteSpace: 'normal' }}
              aria-disabled={isSending}
            >
              {isSending ? 'Sending…' : confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
