import { Checkbox, Radio, Stack, TextInput } from '@mantine/core'
import { type ReactElement, type SyntheticEvent, useRef, useState } from 'react'
import type { AccessTokenRequest } from '../../../protocol/build-data.ts'
import type { TokenRefusal } from '../../../protocol/created-token.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import {
  emptyDraft,
  knownPermissions,
  readTokenDraft,
  type TokenDraft,
  type TokenDraftMistakes,
} from './token-draft.ts'

/** What a token is to be allowed; `onCreate` gets the request once all of it can be read. */
export function TokenForm({
  refusal,
  isSending,
  onCreate,
  onChange,
}: {
  /** Why the build server refused what the form has. */
  refusal: TokenRefusal | undefined
  isSending: boolean
  onCreate: (request: AccessTokenRequest) => void
  onChange: () => void
}): ReactElement {
  const [draft, setDraft] = useState<TokenDraft>(emptyDraft)
  const [isTried, setTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const read = readTokenDraft(draft)
  const mistakes: TokenDraftMistakes = {
    ...(refusal === undefined ? {} : refusedFields(refusal, draft)),
    ...(isTried && !read.ok ? read.mistakes : {}),
  }

  function change(changed: Partial<TokenDraft>): void {
    setDraft({ ...draft, ...changed })
    onChange()
  }

  function submit(event: SyntheticEvent): void {
    event.preventDefault()
    setTried(!read.ok)
    if (read.ok) onCreate(read.request)
    else {
      const [first] = Object.keys(read.mistakes)
      form.current?.querySelector<HTMLElement>(`[name="${String(first)}"]`)?.focus()
    }
  }

  return (
    <form ref={form} noValidate aria-label="Create access token" onSubmit={submit}>
      <Stack gap={16}>
        <Radio.Group
          label="Permissions"
          description="A token can never do more than Sightline’s own access key."
          value={draft.isAll ? 'all' : 'some'}
          onChange={(value) => {
            change({ isAll: value === 'all' })
          }}
        >
          <Stack gap={8} mt={8}>
            <Radio value="some" label="Only the selected permissions" />
            <Radio value="all" label="All permissions of Sightline’s access key" />
          </Stack>
        </Radio.Group>
        {!draft.isAll && (
          <Checkbox.Group
            label="Selected permissions"
            error={mistakes.permissions}
            value={[...draft.permissions]}
            onChange={(permissions) => {
              change({ permissions })
            }}
          >
            <Stack gap={12} mt={8}>
              {knownPermissions.map(({ value, name, meaning }) => (
                <Checkbox
                  key={value}
                  name="permissions"
                  value={value}
                  label={name}
                  description={
                    <>
                      {meaning} <code>{value}</code>
                    </>
                  }
                />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        {!draft.isAll && (
          <TextInput
            name="others"
            label="Other permissions"
            description="Configuration values from the build server’s documentation, separated by commas."
            autoComplete="off"
            spellCheck={false}
            value={draft.others}
            error={mistakes.others}
            onChange={(event) => {
              change({ others: event.currentTarget.value })
            }}
          />
        )}
        <TextInput
          name="projects"
          label="Project ids"
          description="Separated by commas. Leave it empty for all projects. They count only on servers with project-level access control."
          autoComplete="off"
          spellCheck={false}
          value={draft.projects}
          error={mistakes.projects}
          onChange={(event) => {
            change({ projects: event.currentTarget.value })
          }}
        />
        <TextInput
          name="hours"
          label="Lifetime in hours"
          description="At most 24, and never longer than Sightline’s own access key. Leave it empty for 2 hours, or what the key has left if that is less."
          inputMode="decimal"
          autoComplete="off"
          styles={{ input: { maxWidth: '16rem' } }}
          value={draft.hours}
          error={mistakes.hours}
          onChange={(event) => {
            change({ hours: event.currentTarget.value })
          }}
        />
        <PermittedButton
          permission="create-access-tokens"
          type="submit"
          loading={isSending}
          style={{ alignSelf: 'flex-start' }}
        >
          Create token
        </PermittedButton>
      </Stack>
    </form>
  )
}

/** Marks what the build server refused; the sentence above the form says why. */
function refusedFields({ reason, names }: TokenRefusal, draft: TokenDraft): TokenDraftMistakes {
  const refused = `Refused: ${names.join(', ')}`
  switch (reason) {
    case 'permission':
      return names.every((name) => draft.permissions.includes(name))
        ? { permissions: refused }
        : { others: refused }
    case 'project':
      return { projects: refused }
    case 'lifetime':
      return { hours: 'Longer than Sightline’s access key lasts' }
    case 'unknown':
      return {}
  }
}
