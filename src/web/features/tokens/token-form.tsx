import { Checkbox, Radio, Stack, TextInput } from '@mantine/core'
import { type ReactElement, type SyntheticEvent, useRef, useState } from 'react'
import * as z from 'zod/mini'
import {
  createTokenAddress,
  mostTokenNames,
  type TokenRefusal,
} from '../../../protocol/access-token.ts'
import type { AccessTokenRequest } from '../../../protocol/build-data.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { useDraftState } from '../../ui/drafts.ts'

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
  const [draft, setDraft] = useDraftState('token', TokenDraft, emptyDraft)
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
          description="A token can never do more than Sightline's own access key."
          value={draft.isAll ? 'all' : 'some'}
          onChange={(value) => {
            change({ isAll: value === 'all' })
          }}
        >
          <Stack gap={8} mt={8}>
            <Radio value="some" label="Only the selected permissions" />
            <Radio value="all" label="All permissions of Sightline's access key" />
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
            description="Configuration values from the build server's documentation, separated by commas."
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
          description="Separated by commas. Leave it empty for all projects. Requires project-level access control."
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
          description="At most 24, and never longer than Sightline's own access key. Leave it empty for 2 hours, or what the key has left if that is less."
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
      return { hours: "Longer than Sightline's access key lasts" }
    case 'unknown':
      return {}
  }
}

/** What is put together for a token, as the form has it. */
const TokenDraft = z.object({
  /** Whether the token gets all permissions of Sightline's access key. */
  isAll: z.boolean(),
  /** The known permissions that are selected, by configuration value. */
  permissions: z.readonly(z.array(z.string())),
  /** More configuration values, as typed: servers know others than this page. */
  others: z.string(),
  /** Ids of projects, as typed; empty for all. */
  projects: z.string(),
  /** As typed; empty for the server's default. */
  hours: z.string(),
})
export type TokenDraft = z.infer<typeof TokenDraft>

/** A token that may do nothing yet, with the server's default lifetime. */
export const emptyDraft: TokenDraft = {
  isAll: false,
  permissions: [],
  others: '',
  projects: '',
  hours: '2',
}

type TokenDraftMistakes = Partial<Record<'permissions' | 'others' | 'projects' | 'hours', string>>

/** What a draft requests, or what is wrong with it by field. */
type ReadTokenDraft =
  | { readonly ok: true; readonly request: AccessTokenRequest }
  | { readonly ok: false; readonly mistakes: TokenDraftMistakes }

/** Reads a draft (docs/services.md#access-tokens). A list that is left empty is not requested. */
export function readTokenDraft(draft: TokenDraft): ReadTokenDraft {
  const others = names(draft.others)
  const permissions = [...new Set([...draft.permissions, ...others])]
  const projectIds = names(draft.projects)
  const hours = draft.hours.trim()
  const mistakes: TokenDraftMistakes = {
    ...(draft.isAll || permissions.length > 0
      ? {}
      : { permissions: 'Select at least one permission.' }),
    ...(draft.isAll || others.every((name) => /^[\w.-]{1,64}$/.test(name))
      ? tooMany('others', 'permissions', draft.isAll ? [] : permissions)
      : { others: 'Enter configuration values such as readCache, separated by commas.' }),
    ...(projectIds.every((id) => id.length <= 200)
      ? tooMany('projects', 'project ids', projectIds)
      : { projects: 'Enter project ids of at most 200 characters, separated by commas.' }),
    ...(hours === '' || isLifetime(hours)
      ? {}
      : { hours: 'Enter a number of hours above 0, at most 24.' }),
  }
  if (Object.keys(mistakes).length > 0) return { ok: false, mistakes }
  const request = {
    ...(draft.isAll ? {} : { permissions }),
    ...(projectIds.length === 0 ? {} : { projectIds }),
    ...(hours === '' ? {} : { expiresInHours: Number(hours) }),
  }
  if (createTokenAddress(request).length <= longestAddress) return { ok: true, request }
  const projects = 'These project ids are too long for one request. Create several tokens.'
  return { ok: false, mistakes: { projects } }
}

/** What every server on the way takes (RFC 9110, 4.1). */
const longestAddress = 8000

function tooMany(
  field: 'others' | 'projects',
  what: string,
  { length }: readonly string[],
): TokenDraftMistakes {
  return length <= mostTokenNames
    ? {}
    : { [field]: `A token takes at most ${mostTokenNames} ${what}. These are ${length}.` }
}

function names(text: string): readonly string[] {
  return text
    .split(/[,\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

function isLifetime(text: string): boolean {
  return /^\d{1,2}(?:\.\d{1,6})?$/.test(text) && Number(text) > 0 && Number(text) <= 24
}

/** A permission of the build server, by its configuration value. */
interface KnownPermission {
  readonly value: string
  /** As the server's own pages call it. */
  readonly name: string
  readonly meaning: string
}

/** The permissions that are known (docs/services.md#permissions), those for reading first. */
const knownPermissions: readonly KnownPermission[] = [
  {
    value: 'exportData',
    name: 'Export API',
    meaning: 'Follow builds as they arrive, and read their events.',
  },
  {
    value: 'accessBuildDataViaApi',
    name: 'Access build data via the API',
    meaning: 'List and search builds, and read their details.',
  },
  {
    value: 'accessDataWithoutAssociatedProject',
    name: 'Access all data without an associated project',
    meaning:
      'See builds that belong to no project. Without project-level access control, every token gets it.',
  },
  {
    value: 'publishScan',
    name: 'Publish Build Scan',
    meaning: 'Publish the Build Scan of a build, such as from CI.',
  },
  {
    value: 'readCache',
    name: 'Read build cache data',
    meaning: 'Load results from the build cache.',
  },
  {
    value: 'writeCache',
    name: 'Read and write build cache data',
    meaning: 'Load results from the build cache and store new ones.',
  },
  {
    value: 'administerGe',
    name: 'Administer',
    meaning: 'Change the settings of the build server. Few tokens need it.',
  },
]
