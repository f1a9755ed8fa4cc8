import { Group, Stack, Table, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { useServices } from '../../data/core/services.ts'
import { confirmScreen, revokeScreen, screensQuery } from '../../data/wall/screens.ts'
import { useMay } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { RelativeTime } from '../../ui/time.tsx'

/** The screens that have a credential of their own: confirm a code, see them, revoke one. */
export function ScreensPanel(): ReactElement {
  const { request } = useServices()
  const queries = useQueryClient()
  const { isAllowed } = useMay('manage-screens')
  const screens = useQuery({ ...screensQuery(request), enabled: isAllowed })
  const [code, setCode] = useState('')
  const [name, setName] = useState('')
  const again = () => queries.invalidateQueries({ queryKey: ['screens'] })
  const confirm = useMutation({
    mutationFn: () => confirmScreen(request, { code, name }),
    onSuccess: () => {
      setCode('')
      setName('')
      return again()
    },
  })
  const revoke = useMutation({
    mutationFn: (id: string) => revokeScreen(request, id),
    onSettled: again,
  })
  const fault = confirm.error ?? revoke.error ?? screens.error
  return (
    <Stack gap="lg">
      <Text c="dimmed">
        A wall that isn’t signed in shows a code. Enter the code to give that screen read-only
        access to builds until you revoke it.
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          confirm.mutate()
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Code on the screen"
            value={code}
            autoComplete="off"
            data-autofocus
            placeholder="K7RM-4XTN"
            required
            withAsterisk={false}
            w={150}
            onChange={({ currentTarget }) => {
              setCode(currentTarget.value)
            }}
          />
          <TextInput
            label="Screen name"
            value={name}
            placeholder="Third floor, left"
            maxLength={80}
            required
            withAsterisk={false}
            flex={1}
            miw={180}
            onChange={({ currentTarget }) => {
              setName(currentTarget.value)
            }}
          />
          <PermittedButton permission="manage-screens" type="submit" disabled={confirm.isPending}>
            Pair screen
          </PermittedButton>
        </Group>
        <Text role="status" c="bad" inherit>
          {fault?.message ?? ''}
        </Text>
      </form>
      {screens.data?.length === 0 && <Text c="dimmed">No screens yet.</Text>}
      <Table>
        <Table.Tbody>
          {screens.data?.map(({ id, name: title, by, lastSeenAt }) => (
            <Table.Tr key={id}>
              <Table.Td fw={600}>{title}</Table.Td>
              <Table.Td>{`paired by ${by}`}</Table.Td>
              <Table.Td>
                {'seen '}
                {lastSeenAt === null ? 'never' : <RelativeTime at={lastSeenAt} />}
              </Table.Td>
              <Table.Td ta="right">
                <PermittedButton
                  permission="manage-screens"
                  variant="default"
                  aria-label={`Revoke ${title}`}
                  disabled={revoke.isPending}
                  onClick={() => {
                    revoke.mutate(id)
                  }}
                >
                  Revoke
                </PermittedButton>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  )
}
