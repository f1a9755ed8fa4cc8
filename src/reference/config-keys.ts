export interface KeyWords {
  readonly is: string
  /** For a key that has keys of its own below it, which say more. */
  readonly example?: string
}

/**
 * Every key of the configuration file, in the order of the schema: `[]` is an element of a list, `<name>` a
 * name that people choose. A test holds the keys against the schema.
 */
export const configKeys: Readonly<Record<string, KeyWords>> = {
  savedQueries: { is: 'Searches that everybody is offered.' },
  'savedQueries[].name': { is: 'What people see.', example: 'Failures on main' },
  'savedQueries[].query': {
    is: 'In the [query language](query-language.md).',
    example: 'buildOutcome:failed tag:main',
  },
  'savedQueries[].description': { is: 'A line below the name.', example: 'What broke' },

  trustedKeys: {
    is: 'Public keys, by name, whose signatures on attestations count ([attestations.md](../attestations.md)).',
  },
  'trustedKeys.<name>.pem': {
    is: 'The key as PEM; or else `pemBase64`.',
    example: '"-----BEGIN PUBLIC KEY-----…"',
  },
  'trustedKeys.<name>.pemBase64': { is: 'The PEM in base64.', example: 'LS0tLS1CRUdJTi…' },
  'trustedKeys.<name>.keyIds': {
    is: 'Other names that signers give the key.',
    example: '[gcpkms://projects/acme/release]',
  },

  sigstore: {
    is: 'Which keyless signatures count ([attestations.md](../attestations.md#keyless-bundles)).',
  },
  'sigstore.trustedRoot': {
    is: 'A `trusted_root.json` beside this file, or its content. It is never fetched.',
    example: 'trusted_root.json',
  },
  'sigstore.identities': { is: 'Whom a certificate must name; at least one.' },
  'sigstore.identities[].name': { is: 'What people see.', example: 'release workflow' },
  'sigstore.identities[].issuer': {
    is: 'Who vouched for the identity.',
    example: 'https://token.actions.githubusercontent.com',
  },
  'sigstore.identities[].identity': {
    is: 'The whole identity; or else `identityRegexp`.',
    example: 'https://github.com/acme/shop/.github/workflows/release.yml@refs/heads/main',
  },
  'sigstore.identities[].identityRegexp': {
    is: 'A pattern that all of the identity matches.',
    example: 'https://github\\.com/acme/.*',
  },

  packages: { is: 'Packages that everybody is offered.' },
  'packages[].purl': { is: 'A package URL with a version.', example: 'pkg:oci/checkout@2.4.0' },
  'packages[].sha256': {
    is: 'The digest of the artifact, 64 hexadecimal digits.',
    example: '6e415298916129b3a8a4fac44ff0fd2c6d62b4a3f194359b99c4cf0304800774',
  },
  'packages[].repositoryUrl': {
    is: 'The repository of the artifact.',
    example: 'registry.example.com/shop',
  },
  'packages[].scans': { is: 'The policy scans that it is for.', example: '[release]' },
  'packages[].owner': { is: 'Who fixes it; else its namespace.', example: 'shop-team' },

  boards: { is: 'Release boards.' },
  'boards[].name': { is: 'The end of the address: `/board/<name>`.', example: 'november' },
  'boards[].title': { is: 'What people see.', example: 'November release' },
  'boards[].packages': {
    is: "The rows; each has the keys of `packages`. If it names `scans`, at least one must be the board's.",
  },
  'boards[].scans': { is: 'The columns: names of policy scans.', example: '[release, production]' },
  'boards[].require': {
    is: 'Policies that must have been checked: names, `Kind/Name`, `high` (that severity or worse) or `all`. A name must be in at least one scan of each package.',
    example: '[high]',
  },
  'boards[].webhook': {
    is: 'Gets decisions and changes of the verdict. A secret: a URL, a variable or a file.',
    example: '{ file: webhook.txt }',
  },

  walls: {
    is: 'Walls. Those in this file win over saved ones of the same name, and cannot be edited in the browser.',
  },
  'walls[].name': { is: 'The end of the address: `/wall/<name>`.', example: 'shop' },
  'walls[].title': { is: 'What people see.', example: 'Shop' },
  'walls[].tiles': { is: 'The tiles; without any, a tile for each project that arrives.' },
  'walls[].tiles[].title': { is: 'What people see.', example: 'Checkout' },
  'walls[].tiles[].query': {
    is: 'In the [query language](query-language.md).',
    example: 'project:checkout',
  },
  'walls[].tiles[].pinned': { is: 'Stays in front, whatever its state.', example: 'true' },
  'walls[].tiles[].branch': {
    is: "The branch that it stands for, `'*'` for all; else the default branch of each project.",
    example: 'release/2',
  },
  'walls[].order': { is: 'How tiles are ordered.', example: 'stable' },
  'walls[].group': { is: 'What tiles are grouped by.', example: 'project' },

  defaultBranches: {
    is: 'The default branch of projects, where it is not the one that is learned from their builds.',
    example: '{ legacy-billing: develop }',
  },
  tests: { is: 'What is known of tests.' },
  'tests.owners': {
    is: 'Who looks after tests, by the longest prefix of a class, else of the path of a task.',
    example: '{ com.acme.payments: payments-team }',
  },

  history: { is: 'How long evaluations and actions are kept; they are deleted daily.' },
  'history.keepDays': { is: 'Days, 1 to 3,650.', example: '365' },
  'history.keepPerScan': { is: 'Evaluations of each policy scan, 1 to 100,000.', example: '500' },

  waivers: { is: 'What waivers may be.' },
  'waivers.longestDays': { is: 'The longest that a waiver lasts, 1 to 366 days.', example: '90' },
  'waivers.approval': {
    is: 'Which waivers count only once somebody else has approved them: `none`, `required`, or some.',
    example: '{ scans: [production], severities: [critical] }',
  },
  'waivers.remindDays': {
    is: 'So many days before a waiver ends, the alerts remind of it.',
    example: '[7, 1]',
  },

  alerts: { is: 'A message for each tile that turns red, stays red or recovers.' },
  'alerts.walls': {
    is: 'Whose tiles; a wall without tiles stands for every project.',
    example: '[shop]',
  },
  'alerts.everyProject': { is: 'A tile for each project, as on `/wall`.', example: 'true' },
  'alerts.redFor': { is: 'Minutes after turning red; 0 is at once.', example: '[0, 60]' },
  'alerts.recovered': { is: 'Also when it recovers.', example: 'true' },
  'alerts.webhookHosts': {
    is: 'Hosts that messages may be posted to.',
    example: '[hooks.example.com]',
  },
  'alerts.emailFrom': {
    is: 'The sender of mail; `SIGHTLINE_SMTP_URL` is the server.',
    example: 'sightline@example.com',
  },
  'alerts.routes': { is: 'More receivers; each takes walls, projects, or all that is watched.' },
  'alerts.routes[].name': { is: 'What people see.', example: 'payments' },
  'alerts.routes[].walls': { is: 'Of which walls.', example: '[shop]' },
  'alerts.routes[].projects': {
    is: 'Of which projects; `*` stands for any text.',
    example: '[pay-*]',
  },
  'alerts.routes[].webhook': {
    is: 'Where to; or else `email`. A secret: a URL, a variable or a file.',
    example: '{ env: PAYMENTS_WEBHOOK }',
  },
  'alerts.routes[].shape': { is: 'What the webhook reads.', example: 'teams' },
  'alerts.routes[].email': { is: 'To whom.', example: '[release@example.com]' },
  'alerts.routes[].quietHours': { is: 'When messages are held back.' },
  'alerts.routes[].quietHours.from': { is: 'From this time of day on.', example: "'22:00'" },
  'alerts.routes[].quietHours.to': { is: 'Up to this time of day.', example: "'07:00'" },
  'alerts.routes[].quietHours.days': { is: 'All day on these days.', example: '[sat, sun]' },
  'alerts.routes[].quietHours.timeZone': {
    is: 'The time zone of these times.',
    example: 'Europe/Berlin',
  },
  'alerts.routes[].digestMinutes': {
    is: 'Gathers messages for so long, 1 to 1,440, and sends them as one.',
    example: '30',
  },
  'alerts.dashboard': {
    is: 'Where links in alerts lead; those of boards else to `SIGHTLINE_PUBLIC_URL`.',
    example: 'https://sightline.example.com',
  },

  users: { is: 'Who uses access tokens. `sightline token create` prints these lines.' },
  'users[].name': { is: 'Who it is.', example: 'ann' },
  'users[].role': { is: 'Their role; or else `roles`.', example: 'releaser' },
  'users[].roles': { is: 'Their roles.', example: '[releaser]' },
  'users[].limits': { is: 'What evaluating, publishing and waiving is limited to.' },
  'users[].limits.packages': {
    is: 'Packages, without versions; `*` stands for any text.',
    example: '[maven/com.acme/*]',
  },
  'users[].limits.scans': { is: 'Policy scans.', example: '[release]' },
  'users[].tokens': { is: 'Their tokens.' },
  'users[].tokens[].sha256': {
    is: 'The hash of the token, never the token.',
    example: '6e415298916129b3a8a4fac44ff0fd2c6d62b4a3f194359b99c4cf0304800774',
  },
  'users[].tokens[].prefix': { is: 'How the token begins.', example: 'slt_Ab12cd' },
  'users[].tokens[].created': { is: 'A day, or a time in UTC.', example: '2026-11-22' },
  'users[].tokens[].expires': { is: 'At most a year later.', example: '2027-02-20' },

  signIn: { is: 'How people sign in, and who may do what.' },
  'signIn.header': { is: 'For `SIGHTLINE_SIGN_IN=header`.' },
  'signIn.header.user': { is: 'The header with the name.', example: 'X-Forwarded-User' },
  'signIn.header.groups': {
    is: 'The header with the groups, comma-separated.',
    example: 'X-Forwarded-Groups',
  },
  'signIn.header.from': {
    is: 'Addresses of the reverse proxy.',
    example: '[10.0.0.4, 10.1.0.0/16]',
  },
  'signIn.header.secretHeader': {
    is: 'The header with `SIGHTLINE_HEADER_SECRET`.',
    example: 'X-Sightline-Secret',
  },
  'signIn.header.signOutUrl': {
    is: 'Where to sign out of the reverse proxy, too.',
    example: '/oauth2/sign_out',
  },
  'signIn.oidc': { is: 'For `SIGHTLINE_SIGN_IN=oidc`.' },
  'signIn.oidc.issuer': {
    is: 'The identity provider.',
    example: 'https://login.example.com/realms/acme',
  },
  'signIn.oidc.clientId': { is: 'The client that is registered there.', example: 'sightline' },
  'signIn.oidc.scopes': { is: 'With `openid` among them.', example: 'openid profile email' },
  'signIn.oidc.nameClaim': {
    is: 'The claim with the name that people see.',
    example: 'preferred_username',
  },
  'signIn.roles': { is: 'Who gets which role: the highest one of all rules that match.' },
  'signIn.roles[].claim': {
    is: 'A claim, or the path of one; `user` and `groups` of headers.',
    example: 'groups',
  },
  'signIn.roles[].value': {
    is: 'What the claim is, or has among its values.',
    example: 'engineers',
  },
  'signIn.roles[].role': { is: 'The role.', example: 'viewer' },
  'signIn.roles[].limits': {
    is: 'As `limits` of `users`. Those of all matching rules for releasers and admins add up.',
  },
  'signIn.everyoneElse': {
    is: 'The role of people whom no rule matches; without it they cannot get in.',
    example: 'viewer',
  },
}
