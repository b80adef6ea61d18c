/** Days at a configuration server by name, in the language that users write them in. */
export const readyMadeConfigurations: Readonly<Record<string, string>> = {
  'release-in-waves': `
summary: a release that goes out in four waves
sites:
  - hours: 09:00-17:30
    sleeps: [12:30 for 45m spread 15m]
pilot: 20
changes: [09:45 release, 10:30 promote 1, 11:30 promote 2, 13:30 promote 3, 15:00 promote 4]
`,
  'agents-all-day': `
summary: people whose agents work without a pause get a release at once
sites:
  - hours: 09:00-17:30
turns: every 1m
turnTakes: 10m
waves: [100]
changes: [10:00 release, 10:05 promote 1]
`,
  'bad-release': `
summary: a release that names a wrong gateway is halted after twenty minutes and taken back after forty
sites:
  - hours: 09:00-17:30
pilot: 20
changes: [10:00 wrong release, 10:20 promote 2, 10:40 halt, 11:00 revert]
`,
  'server-down-at-nine': `
summary: the configuration server is down for twenty minutes when people come
sites:
  - hours: 09:00-17:30
    sleeps: [12:30 for 45m spread 15m]
outages: [08:50 for 20m]
`,
}
