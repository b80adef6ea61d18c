import type { Examples } from '../cli.ts'

/** The examples of `gatepass gateway` and of the commands below it. */
export const gatewayExamples: Examples = {
  gateway: ['gatepass gateway start', 'gatepass gateway seed --db site.db', 'gatepass gateway start --db site.db'],
  'gateway start': [
    'gatepass gateway start',
    'gatepass gateway start --port 0 --db site.db',
    "gatepass gateway start --fault 'POST /v1/messages 429 retry-after=2 3 times'",
  ],
  'gateway seed': ['gatepass gateway seed --db site.db', 'gatepass gateway start --db site.db'],
  'gateway keys': [
    'gatepass gateway keys list --db site.db',
    'gatepass gateway keys create --db site.db --type personal --owner "$USER_ID"',
  ],
  'gateway keys list': [
    'gatepass gateway keys list --db site.db',
    'gatepass gateway keys list --db site.db > keys.json',
  ],
  'gateway keys create': [
    'gatepass gateway keys create --db site.db --type personal --owner "$USER_ID"',
    'gatepass gateway keys create --db site.db --type workspace \\\n  --workspace "$WORKSPACE" --expires 45d',
  ],
  'gateway keys disable': [
    'gatepass gateway keys list --db site.db',
    'gatepass gateway keys disable "$KEY_ID" --db site.db',
  ],
  'gateway keys enable': [
    'gatepass gateway keys list --db site.db',
    'gatepass gateway keys enable "$KEY_ID" --db site.db',
  ],
  'gateway keys delete': [
    'gatepass gateway keys list --db site.db',
    'gatepass gateway keys delete "$KEY_ID" --db site.db',
  ],
  'gateway keys maximum': [
    'gatepass gateway keys maximum --db site.db',
    'gatepass gateway keys maximum 30d --db site.db',
  ],
  'gateway tokens': [
    'gatepass gateway tokens attest --db site.db --workspace "$WORKSPACE"',
    'gatepass gateway tokens revoke --db site.db',
  ],
  'gateway tokens attest': [
    'gatepass gateway workspaces list --db site.db',
    'gatepass gateway tokens attest --db site.db --workspace "$WORKSPACE"',
  ],
  'gateway tokens revoke': ['gatepass gateway tokens revoke --db site.db', 'gatepass gateway keys list --db site.db'],
  'gateway workspaces': [
    'gatepass gateway workspaces list --db site.db',
    'gatepass gateway workspaces create research --db site.db',
  ],
  'gateway workspaces list': [
    'gatepass gateway workspaces list --db site.db',
    'gatepass gateway workspaces list --db site.db > workspaces.json',
  ],
  'gateway workspaces create': [
    'gatepass gateway workspaces create research --db site.db',
    'gatepass gateway workspaces list --db site.db',
  ],
  'gateway workspaces archive': [
    'gatepass gateway workspaces list --db site.db',
    'gatepass gateway workspaces archive "$WORKSPACE" --db site.db',
  ],
  'gateway workspaces add': [
    'gatepass gateway identities list --db site.db',
    'gatepass gateway workspaces add "$WORKSPACE" "$USER_ID" --db site.db',
  ],
  'gateway workspaces remove': [
    'gatepass gateway identities list --db site.db',
    'gatepass gateway workspaces remove "$WORKSPACE" "$USER_ID" --db site.db',
  ],
  'gateway identities': [
    'gatepass gateway identities list --db site.db',
    'gatepass gateway identities create user Dana --db site.db',
  ],
  'gateway identities list': [
    'gatepass gateway identities list --db site.db',
    'gatepass gateway identities list --db site.db > identities.json',
  ],
  'gateway identities create': [
    'gatepass gateway identities create user Dana --db site.db',
    'gatepass gateway identities create service_account build --db site.db',
  ],
  'gateway identities remove': [
    'gatepass gateway identities list --db site.db',
    'gatepass gateway identities remove "$USER_ID" --db site.db',
  ],
  'gateway identities restore': [
    'gatepass gateway identities list --db site.db',
    'gatepass gateway identities restore "$USER_ID" --db site.db',
  ],
  'gateway federation': [
    'gatepass gateway federation issuer https://id.example.com --db site.db',
    'gatepass gateway federation rule --help',
  ],
  'gateway federation issuer': [
    'gatepass gateway federation issuer https://id.example.com --db site.db',
    'gatepass gateway federation issuer https://id.example.com --db site.db \\\n  --jwks-file keys.json',
  ],
  'gateway federation rule': [
    'gatepass gateway identities list --db site.db',
    'gatepass gateway federation rule --db site.db --issuer "$ISSUER" \\\n  --service-account "$ACCOUNT" --workspace "$WORKSPACE" --audience api',
  ],
  'gateway verifier': [
    'gatepass gateway verifier --policy policy.json',
    'gatepass gateway verifier --policy policy.json --listen 127.0.0.1:8790 \\\n  --admin-listen 127.0.0.1:8791',
    'gatepass gateway verifier recipe nginx --policy policy.json',
  ],
  'gateway verifier recipe': [
    'gatepass gateway verifier recipe nginx --policy policy.json',
    'gatepass gateway verifier recipe envoy --policy policy.json --into envoy',
  ],
  'gateway revoke': [
    'gatepass gateway revoke --subject dana --issued-before now \\\n  --redis redis://127.0.0.1:6379',
    'gatepass gateway revoke --key 2026-07 --file revoked.jsonl',
  ],
  'gateway health': ['gatepass gateway health', 'gatepass gateway health /run/gatepass/admin.sock'],
  'gateway sts': [
    'gatepass gateway sts --caller arn:aws:iam::111122223333:user/dana \\\n  --credentials credentials',
    'gatepass gateway verifier --policy policy.json \\\n  --sts-stand-in http://127.0.0.1:8792',
  ],
  'gateway policy': [
    'gatepass gateway policy check policy.json',
    'gatepass gateway policy schema > policy.schema.json',
  ],
  'gateway policy check': [
    'gatepass gateway policy check policy.json',
    'gatepass gateway policy check --here --strict policy.json',
  ],
  'gateway policy try': [
    'gatepass gateway policy try policy.json < token.txt',
    'aws sts get-caller-identity | gatepass gateway policy try policy.json',
  ],
  'gateway policy test': [
    'gatepass gateway policy test policy.json',
    'gatepass gateway policy test --strict --format junit policy.json > policy.xml',
  ],
  'gateway policy schema': [
    'gatepass gateway policy schema > policy.schema.json',
    'gatepass gateway policy schema --cases > policy-cases.schema.json',
  ],
}
