import { describe, expect, test } from 'vitest'
import { type OpenRelease, openRelease } from '../../src/bootstrap/open-release.ts'
import type { Pointer } from '../../src/bootstrap/release.ts'
import { type Member, selectDocument } from '../../src/bootstrap/select-document.ts'
import { ReleaseFolder } from './release-folder.ts'

const issuer = 'https://idp.example.com'

function memberOf(claims: Member['claims'], other: Partial<Member> = {}): Member {
  return { kind: 'jwt', issuer, subject: String(claims.sub), claims, ...other }
}

/** Returns the answer to a person: the document's mark, the groups and the reason; or why there is nothing. */
function select(open: OpenRelease, member: Member, held?: string) {
  const selection = selectDocument(open, member, held)
  if (selection.outcome === 'nothing') return { reason: selection.reason, groups: selection.groups }
  const { document, groups, why, wave } = selection
  return { gets: document.value.is, groups, why, wave }
}

async function openGroups(overrides: object = {}): Promise<OpenRelease> {
  const folder = await ReleaseFolder.create()
  const groups = [
    { name: 'eng', claims: { groups: ['eng-*'] } },
    { name: 'eu', claims: { country: ['de', 'fr'] }, issuer },
    { name: 'robots', claims: { account: ['123456789012'] }, issuer: 'aws' },
    { name: 'gold', claims: { plan: ['gold'] }, choice: 'plan', precedence: 2 },
    { name: 'paid', claims: { plan: ['*'] }, choice: 'plan', precedence: 1 },
  ]
  const documents = {
    '': { is: 'base' },
    eng: { is: 'eng' },
    'eng,eu': { is: 'both' },
    robots: { is: 'robots' },
    gold: { is: 'gold' },
    paid: { is: 'paid' },
  }
  await folder.point({ manifest: await folder.addRelease({ groups, documents, ...overrides }) })
  return openRelease(folder.path, folder.keys)
}

describe('the groups of a person decide the document', () => {
  test.each<[string, Member, object]>([
    ['no group', memberOf({ sub: 'a' }), { gets: 'base', groups: [] }],
    ['an item of a list', memberOf({ sub: 'a', groups: ['x', 'eng-1'] }), { gets: 'eng', groups: ['eng'] }],
    ['two groups', memberOf({ sub: 'a', groups: 'eng-', country: 'fr' }), { gets: 'both', groups: ['eng', 'eu'] }],
    [
      'a claim of another issuer',
      memberOf({ sub: 'a', country: 'de' }, { issuer: 'https://other.example.com' }),
      { gets: 'base', groups: [] },
    ],
    ['a JWT with a claim of AWS', memberOf({ sub: 'a', account: '123456789012' }), { gets: 'base', groups: [] }],
    [
      'an AWS identity',
      memberOf({ account: '123456789012' }, { kind: 'aws-identity', subject: 'arn:a' }),
      { gets: 'robots', groups: ['robots'] },
    ],
    [
      'the group of a choice that takes precedence',
      memberOf({ sub: 'a', plan: 'gold' }),
      { gets: 'gold', groups: ['gold'] },
    ],
    ['the other group of the choice', memberOf({ sub: 'a', plan: 'silver' }), { gets: 'paid', groups: ['paid'] }],
    ['a line break before the value', memberOf({ sub: 'a', plan: 'x\ngold' }), { gets: 'paid', groups: ['paid'] }],
    [
      'an inherited claim',
      memberOf(Object.create({ groups: 'eng-1' }, { sub: { value: 'a', enumerable: true } })),
      { gets: 'base', groups: [] },
    ],
  ])('a person with %s gets the document of these groups', async (_title, member, expected) => {
    expect(select(await openGroups(), member)).toEqual({ why: 'everybody', wave: expect.any(Number), ...expected })
  })

  test.each([
    ['without a subject', { email: 'a@example.com' }, { reason: 'no-subject', groups: [] }],
    ['to a subject with half a surrogate pair', { sub: 'a\ud800' }, { reason: 'no-subject', groups: [] }],
    ['to an empty subject', { sub: '' }, { reason: 'no-subject', groups: [] }],
    ['to strangers where the rollout says so', { sub: 'a' }, { reason: 'not-entitled', groups: [] }],
    [
      'for a combination that cannot occur',
      { sub: 'a', country: 'de', plan: 'gold' },
      { reason: 'unknown-combination', groups: ['eu', 'gold'] },
    ],
  ])('no document is given %s', async (_what, claims, refusal) => {
    expect(select(await openGroups({ others: 'nothing' }), memberOf(claims))).toEqual(refusal)
  })

  test('another claim may name the person', async () => {
    const open = await openGroups({ subject: 'oid' })
    expect(selectDocument(open, memberOf({ sub: 'a', oid: 'b' })).subject).toBe('b')
  })
})

describe('waves', () => {
  async function openWaves(pointer: Partial<Pointer>) {
    const folder = await ReleaseFolder.create()
    const previous = await folder.addRelease({ documents: { '': { is: 'old' } } })
    const manifest = await folder.addRelease({
      counter: 2,
      previous,
      waves: [1, 10, 50, 100],
      pilot: ['pat'],
      documents: { '': { is: 'new' } },
    })
    await folder.point({ manifest, ...pointer })
    return openRelease(folder.path, folder.keys)
  }

  const people = Array.from({ length: 20_000 }, (_, index) => memberOf({ sub: `person-${index}` }))

  test('reach the part of the people that they name, and everybody who was reached before', async () => {
    const reached: { percent: number; lost: Set<Member> }[] = []
    let before = new Set<Member>()
    for (const wave of [0, 1, 2, 3, 4]) {
      const open = await openWaves({ wave })
      const now = new Set(people.filter((member) => select(open, member).gets === 'new'))
      reached.push({ percent: Math.round((now.size / people.length) * 100), lost: before.difference(now) })
      before = now
    }
    expect(reached).toEqual([0, 1, 10, 50, 100].map((percent) => ({ percent, lost: new Set() })))
  })

  test('begin with other people in the next release', async () => {
    const open = await openWaves({ wave: 1 })
    const { current } = open
    const next = { ...open, current: { ...current, manifest: { ...current.manifest, id: '3-0123456789ab' } } }
    const listFirst = (release: OpenRelease) => people.filter((member) => select(release, member).wave! <= 2)
    const both = new Set(listFirst(open)).intersection(new Set(listFirst(next)))
    expect(both.size).toBeLessThan(listFirst(open).length / 5)
  })

  test('begin with the pilot', async () => {
    const pat = memberOf({ sub: 'pat' })
    const late = people.find(({ subject }) => subject === 'person-1')!
    const open = await openWaves({ wave: 0 })
    expect([select(open, pat), select(open, late)]).toEqual([
      { gets: 'new', groups: [], why: 'pilot', wave: 0 },
      { gets: 'old', groups: [], why: 'not-yet', wave: 3 },
    ])
  })

  test('that are halted leave the new document with those who have it, and the old one with those who still hold it', async () => {
    const open = await openWaves({ wave: 2, state: 'halted' })
    const isReached = (member: Member) => select(open, member).wave! <= 2
    const reached = people.find(isReached)!
    const other = people.find((member) => !isReached(member))!
    const digestOf = (release: OpenRelease['current']) => release.documents.get('')!.digest
    const [fresh, old] = [digestOf(open.current), digestOf(open.previous!)]
    const gets = [
      select(open, reached).gets,
      select(open, reached, fresh).gets,
      select(open, reached, old).gets,
      select(open, reached, 'of another server').gets,
      select(open, other).gets,
      select(open, other, fresh).gets,
    ]
    expect({ gets, why: select(open, other).why }).toEqual({
      gets: ['new', 'new', 'old', 'new', 'old', 'old'],
      why: 'halted',
    })
  })
})
