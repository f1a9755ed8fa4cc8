/** Says something in passing in the corner of the page; loaded when first needed. */
export async function toast(message: string): Promise<void> {
  const { notifications } = await import('@mantine/notifications')
  notifications.show({
    message,
    autoClose: 5000,
    withBorder: true,
    closeButtonProps: { 'aria-label': 'Close this message' },
  })
}
