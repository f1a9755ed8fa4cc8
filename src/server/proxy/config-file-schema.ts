import { z } from 'zod'
import { isTimeZone } from '../../protocol/clock.ts'
import { readRepositoryUrl, readScanName } from '../../protocol/package-address.ts'
import { readPackageReference } from '../../protocol/package-reference.ts'
import { readPackageUrl } from '../../protocol/package-url.ts'
import { readKeys } from '../../attestation/keys/read-keys.ts'
import { check } from '../../search/check.ts'
import { parse } from '../../search/parse.ts'
import { webhookShapes } from './alerts/alert-message.ts'
import { weekdays } from './alerts/alert-route.ts'
import {
  filledText,
  SignInEntry,
  signInKeysAt,
  text,
  urlMistake,
  UserEntries,
} from './sign-in/sign-in-schema.ts'

// Messages go on from the name of the place, such as `savedQueries[2].query`.

const query = filledText.superRefine((value, context) => {
  for (const { severity, message, from, to } of check(parse(value))) {
    if (severity !== 'error') continue
    const part = value.slice(from, to)
    const where = part === '' || part === value ? '' : ` (at “${part}”)`
    context.addIssue({ code: 'custom', message: `: ${message}${where}` })
  }
})

const SavedQueryEntry = z.strictObject(
  { name: filledText, query, description: text.optional() },
  { error: ' must have a name and a query.' },
)
// Read as the decoder reads it.
const publicKey = filledText.superRefine((value, context) => {
  const [mistake] = readKeys(value).mistakes
  if (mistake === undefined) return
  const message =
    mistake.code === 'private-key'
      ? ' contains a private key. Use the public key only.'
      : ` isn't a public key: ${mistake.message}`
  context.addIssue({ code: 'custom', message })
})

const TrustedKeyEntry = z
  .strictObject(
    {
      pem: publicKey.optional(),
      pemBase64: publicKey.optional(),
      keyIds: z.array(filledText, { error: ' must be a list of key ids.' }).optional(),
    },
    { error: ' must have pem or pemBase64.' },
  )
  .refine(({ pem, pemBase64 }) => (pem === undefined) !== (pemBase64 === undefined), {
    error: ' must have either pem or pemBase64, not both.',
  })

const pattern = filledText.refine(isPattern, { error: " isn't a regular expression." })

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u').source !== ''
  } catch {
    return false
  }
}

const IdentityEntry = z
  .strictObject(
    {
      name: filledText,
      issuer: filledText,
      identity: filledText.optional(),
      identityRegexp: pattern.optional(),
    },
    { error: ' must have name, issuer, and identity or identityRegexp.' },
  )
  .refine(
    ({ identity, identityRegexp }) => (identity === undefined) !== (identityRegexp === undefined),
    {
      error: ' must have either identity or identityRegexp, not both.',
    },
  )

const SigstoreEntry = z.strictObject(
  {
    trustedRoot: z.union([filledText, z.record(z.string(), z.json())], {
      error: ' must be the path of a trusted_root.json, or its content.',
    }),
    identities: z
      .array(IdentityEntry, { error: ' must be a list of identities.' })
      .min(1, ' has no identity.'),
  },
  { error: ' must have trustedRoot and identities.' },
)

const scanName = filledText.superRefine((value, context) => {
  const read = readScanName(value)
  if (!read.ok) context.addIssue({ code: 'custom', message: `: ${read.mistake}` })
})

// Every browser gets it, and a gate reads it as strictly.
const repositoryUrl = filledText.superRefine((value, context) => {
  const read = readRepositoryUrl(value)
  if (!read.ok) context.addIssue({ code: 'custom', message: `: ${read.mistake}` })
})

const PackageEntry = z
  .strictObject(
    {
      purl: filledText.superRefine((value, context) => {
        const read = readPackageUrl(value)
        if (!read.ok) context.addIssue({ code: 'custom', message: `: ${read.mistake}` })
        else if (read.purl.version === undefined) {
          context.addIssue({ code: 'custom', message: ' has no version.' })
        } else {
          const whole = readPackageReference(value)
          if (!whole.ok) context.addIssue({ code: 'custom', message: `: ${whole.mistake}` })
        }
      }),
      sha256: text.regex(/^[0-9a-f]{64}$/i, ' must be 64 hexadecimal digits.').toLowerCase(),
      repositoryUrl,
      scans: z.array(scanName, { error: ' must be a list of names.' }).default([]),
      owner: filledText.optional(),
    },
    { error: ' must have a purl, a sha256 and a repositoryUrl.' },
  )
  .superRefine(({ purl, sha256 }, context) => {
    const read = readPackageReference(purl)
    const named = read.ok ? read.reference.sha256 : undefined
    if (named === undefined || named === sha256) return
    context.addIssue({
      code: 'custom',
      path: ['sha256'],
      message: ' differs from the digest in purl.',
    })
  })

// What an address can hold as its last segment without being written otherwise.
const segment = filledText.regex(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  ' must start with a letter or digit, followed by up to 63 letters, digits, dots, hyphens or underscores.',
)

/** A secret: in the file itself, in an environment variable, or in a file beside it. */
const WebhookEntry = z.union(
  [filledText, z.strictObject({ env: filledText }), z.strictObject({ file: filledText })],
  { error: ' must be a URL, {env: …} with a variable or {file: …} with a path.' },
)
export type WebhookEntry = z.infer<typeof WebhookEntry>

const BoardEntry = z
  .strictObject(
    {
      name: segment,
      title: text.optional(),
      packages: z
        .array(PackageEntry, { error: ' must be a list of packages.' })
        .min(1, ' has no packages.'),
      scans: z
        .array(scanName, { error: ' must be a list of names.' })
        .min(1, ' has no policy scans.'),
      require: z
        .array(filledText, { error: ' must be a list of policies, high or all.' })
        .default([]),
      webhook: WebhookEntry.optional(),
    },
    { error: ' must have a name, packages and scans.' },
  )
  .superRefine(({ packages, scans }, context) => {
    for (const [index, { scans: own }] of packages.entries()) {
      if (own.length === 0 || own.some((scan) => scans.includes(scan))) continue
      context.addIssue({
        code: 'custom',
        path: ['packages', index, 'scans'],
        message: ` has none of the board's policy scans (${scans.join(', ')}), so nothing would be evaluated.`,
      })
    }
  })

const TileEntry = z.strictObject(
  {
    title: filledText,
    query,
    pinned: z.boolean(' must be true or false.').default(false),
    branch: filledText.optional(),
  },
  { error: ' must have a title and a query.' },
)

const WallEntry = z.strictObject(
  {
    name: segment,
    title: text.optional(),
    tiles: z
      .array(TileEntry, { error: ' must be a list of tiles, each with a title and a query.' })
      .default([]),
    order: z
      .enum(['failing-first', 'stable'], ' must be failing-first or stable.')
      .default('failing-first'),
    group: z.enum(['none', 'project', 'tool'], ' must be none, project or tool.').default('none'),
  },
  { error: ' must have a name.' },
)

const whole = (from: number, to: number) => {
  const error = ` must be a whole number from ${from} to ${to}.`
  return z.int({ error }).min(from, { error }).max(to, { error })
}

const HistoryEntry = z.strictObject(
  { keepDays: whole(1, 3650).default(365), keepPerScan: whole(1, 100_000).default(500) },
  { error: ' must be a map of keepDays and keepPerScan.' },
)

const TestsEntry = z.strictObject(
  {
    owners: z
      .record(z.string(), filledText, { error: ' must be a map of prefixes to owners.' })
      .default({}),
  },
  { error: ' must be a map of owners.' },
)

const names = (what: string) =>
  z.array(filledText, { error: ` must be a list of ${what}.` }).min(1, ` has no ${what}.`)

const ApprovalEntry = z
  .union(
    [
      z.enum(['none', 'required']),
      z.strictObject({
        scans: z.array(filledText).default([]),
        severities: z.array(filledText.transform((value) => value.toLowerCase())).default([]),
      }),
    ],
    { error: ' must be none, required, or a map of scans and severities, each a list of names.' },
  )
  .default('none')

const WaiversEntry = z.strictObject(
  {
    longestDays: whole(1, 366).default(90),
    approval: ApprovalEntry,
    remindDays: z
      .array(whole(1, 90), { error: ' must be a list of days, such as [7, 1].' })
      .default([7, 1]),
  },
  { error: ' must be a map of longestDays, approval and remindDays.' },
)

const timeOfDay = z.stringFormat('time', /^(?:[01]\d|2[0-3]):[0-5]\d$/, {
  error: ' must be a time such as "22:00", in quotes.',
})

const QuietHoursEntry = z
  .strictObject(
    {
      from: timeOfDay.optional(),
      to: timeOfDay.optional(),
      days: z
        .array(z.enum(weekdays, ` must be one of ${weekdays.join(', ')}.`), {
          error: ' must be a list of days, such as [sat, sun].',
        })
        .optional(),
      timeZone: filledText
        .refine(isTimeZone, ' must be a time zone, such as Europe/Berlin.')
        .default('UTC'),
    },
    { error: ' must be a map of from, to, days and timeZone.' },
  )
  .refine(
    ({ from, to, days }) =>
      (from === undefined) === (to === undefined) && (from ?? days) !== undefined,
    ' must have from and to, or days.',
  )
  .refine(({ from, to }) => from === undefined || from !== to, {
    path: ['to'],
    error: ' is the same time as from. For whole days, use days.',
  })
  .refine(({ days = [] }) => new Set(days).size < weekdays.length, {
    path: ['days'],
    error: ' is every day, so nothing would ever be sent.',
  })

const AlertRouteEntry = z
  .strictObject(
    {
      name: segment,
      walls: names('walls').optional(),
      projects: names('projects').optional(),
      webhook: WebhookEntry.optional(),
      shape: z.enum(webhookShapes, ` must be ${webhookShapes.join(', ')}.`).default('slack'),
      email: z
        .array(z.email({ error: ' must be an email address.' }), {
          error: ' must be a list of email addresses.',
        })
        .default([]),
      quietHours: QuietHoursEntry.optional(),
      digestMinutes: whole(1, 1440).optional(),
    },
    { error: ' must have a name, and a webhook or email.' },
  )
  .refine(
    ({ webhook, email }) => (webhook === undefined) !== (email.length === 0),
    ' must have either a webhook or email. Use two routes for both.',
  )

const AlertsEntry = z.strictObject(
  {
    walls: names('walls').default([]),
    everyProject: z.boolean(' must be true or false.').default(false),
    redFor: z
      .array(whole(0, 10_080), { error: ' must be a list of minutes, such as [0, 60].' })
      .default([0]),
    recovered: z.boolean(' must be true or false.').default(true),
    webhookHosts: z.array(filledText, { error: ' must be a list of hosts.' }).default([]),
    emailFrom: z.email({ error: ' must be an email address.' }).optional(),
    routes: z
      .array(AlertRouteEntry, { error: ' must be a list of routes, each with a name.' })
      .default([]),
    dashboard: z
      .url({
        protocol: /^https?$/,
        error: ({ input }) => urlMistake(input, ' must be a URL that starts with https://.'),
      })
      .optional(),
  },
  {
    error:
      ' must be a map of walls, everyProject, redFor, recovered, webhookHosts, emailFrom, routes and dashboard.',
  },
)

/** The file as a whole. */
export const ConfigFile = z.strictObject(
  {
    savedQueries: z
      .array(SavedQueryEntry, { error: ' must be a list of queries, each with a name.' })
      .default([]),
    trustedKeys: z
      .record(z.string(), TrustedKeyEntry, { error: ' must be a map of names to keys.' })
      .default({}),
    sigstore: SigstoreEntry.optional(),
    packages: z.array(PackageEntry, { error: ' must be a list of packages.' }).default([]),
    boards: z.array(BoardEntry, { error: ' must be a list of boards.' }).default([]),
    walls: z.array(WallEntry, { error: ' must be a list of walls.' }).default([]),
    defaultBranches: z
      .record(z.string(), filledText, { error: ' must be a map of projects to branches.' })
      .default({}),
    tests: TestsEntry.prefault({}),
    history: HistoryEntry.prefault({}),
    waivers: WaiversEntry.prefault({}),
    alerts: AlertsEntry.optional(),
    users: UserEntries,
    signIn: SignInEntry.prefault({}),
  },
  { error: 'The file must be a map such as “savedQueries: []”.' },
)

/** The keys that may stand at the place of a file where others do. */
export function keysAt(path: readonly (string | number)[]): readonly string[] {
  const [list, , part] = path
  switch (list) {
    case undefined:
      return Object.keys(ConfigFile.shape)
    case 'trustedKeys':
      return Object.keys(TrustedKeyEntry.shape)
    case 'sigstore':
      return Object.keys((part === undefined ? SigstoreEntry : IdentityEntry).shape)
    case 'packages':
      return Object.keys(PackageEntry.shape)
    case 'boards':
      return Object.keys((part === 'packages' ? PackageEntry : BoardEntry).shape)
    case 'walls':
      return Object.keys((part === 'tiles' ? TileEntry : WallEntry).shape)
    case 'history':
      return Object.keys(HistoryEntry.shape)
    case 'tests':
      return Object.keys(TestsEntry.shape)
    case 'waivers':
      return Object.keys(WaiversEntry.shape)
    case 'alerts':
      return part === undefined
        ? Object.keys(AlertsEntry.shape)
        : Object.keys((path.length > 3 ? QuietHoursEntry : AlertRouteEntry).shape)
    case 'users':
    case 'signIn':
      return signInKeysAt(path)
    default:
      return Object.keys(SavedQueryEntry.shape)
  }
}
