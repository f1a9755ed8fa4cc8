import { Box, Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactElement, ReactNode, SyntheticEvent } from 'react'
import { Notice } from './notice.tsx'

/** A dialog that asks for something: what is asked, why it was refused, and the buttons. */
export function FormDialog({
  title,
  size = 600,
  refusal,
  isSending,
  isDisabled = false,
  confirm,
  more,
  onConfirm,
  onClose,
  children,
}: {
  title: string
  size?: number
  /** Why it was refused, a sentence; undefined where it was not. */
  refusal?: string | undefined
  /** While this is so nothing is sent again. */
  isSending: boolean
  /** Nothing can be sent as it is. */
  isDisabled?: boolean
  /** The label of the button that does it. */
  confirm: string
  /** Buttons beside that, at the other end. */
  more?: ReactNode
  onConfirm: (event: SyntheticEvent<HTMLFormElement>) => void
  onClose: () => void
  children: ReactNode
}): ReactElement {
  return (
    <Modal
      opened
      size={size}
      title={title}
      onClose={onClose}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!isSending && !isDisabled) onConfirm(event)
        }}
      >
        <Stack gap={12}>
          {children}
          {refusal !== undefined && (
            <Notice role="alert" tone="bad">
              {refusal}
            </Notice>
          )}
          <Group gap={8} justify="flex-end">
            {more}
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              mih={32}
              h="auto"
              py={4}
              styles={{ label: { whiteSpace: 'normal', lineHeight: 1.3 } }}
              aria-disabled={isSending || isDisabled}
            >
              {/* As wide as before: another button must not move under a second click. */}
              <Box component="span" display="grid">
                <Box
                  component="span"
                  style={{ gridArea: '1 / 1', visibility: isSending ? 'hidden' : 'visible' }}
                >
                  {confirm}
                </Box>
                {isSending && <span style={{ gridArea: '1 / 1' }}>Sending…</span>}
              </Box>
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
