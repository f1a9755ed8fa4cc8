import type { AccessTokenRequest } from '../../../protocol/build-data.ts'

/** What is put together for a token, as the form has it. */
export interface TokenDraft {
  /** Whether the token gets all permissions of Sightline's access key. */
  readonly isAll: boolean
  /** The known permissions that are selected, by configuration value. */
  readonly permissions: readonly string[]
  /** More configuration values, as typed: servers know others than this page. */
  readonly others: string
  /** Ids of projects, as typed; empty for all. */
  readonly projects: string
  /** As typed; empty for the server's default. */
  readonly hours: string
}

/** A token that may do nothing yet, with the server's default lifetime. */
export const emptyDraft: TokenDraft = {
  isAll: false,
  permissions: [],
  others: '',
  projects: '',
  hours: '2',
}

export type TokenDraftMistakes = Partial<
  Record<'permissions' | 'others' | 'projects' | 'hours', string>
>

/** What a draft requests, or what is wrong with it by field. */
export type ReadTokenDraft =
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
      ? {}
      : { others: 'Enter configuration values such as readCache, separated by commas.' }),
    ...(projectIds.every((id) => id.length <= 200)
      ? {}
      : { projects: 'Enter project ids of at most 200 characters, separated by commas.' }),
    ...(hours === '' || isLifetime(hours)
      ? {}
      : { hours: 'Enter a number of hours above 0, at most 24.' }),
  }
  if (Object.keys(mistakes).length > 0) return { ok: false, mistakes }
  return {
    ok: true,
    request: {
      ...(draft.isAll ? {} : { permissions }),
      ...(projectIds.length === 0 ? {} : { projectIds }),
      ...(hours === '' ? {} : { expiresInHours: Number(hours) }),
    },
  }
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
export interface KnownPermission {
  readonly value: string
  /** As the server's own pages call it. */
  readonly name: string
  readonly meaning: string
}

/** The permissions that are known (docs/services.md#permissions), those for reading first. */
export const knownPermissions: readonly KnownPermission[] = [
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
