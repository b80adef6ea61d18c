/**
 * The examples at the end of each command's help, by the words of the command. They can be pasted: a document comes from the first
 * example of `config init`, a state from that of `gateway seed`, and an ID stands in a variable.
 */
export const examples: Readonly<Record<string, readonly string[]>> = {
  '': [
    'gatepass choose --gateway bedrock --people aws --client desktop',
    'gatepass simulate',
    'gatepass gateway start',
  ],
  setup: [
    'gatepass setup',
    'gatepass setup rollout --offline --base-url https://gateway.example.com \\\n  --issuer https://id.example.com --client-id gatepass',
    'gatepass setup rollout --offline --ttl 600 --write',
  ],
  'setup try': ['gatepass setup try rollout', 'gatepass setup try rollout --yes'],
  choose: [
    'gatepass choose --gateway bedrock --people aws --client desktop',
    'gatepass choose --gateway jwt --people openid --client codex --json',
  ],
  config: [
    'gatepass config init --kind external-idp --issuer https://id.example.com \\\n  --client-id gatepass --base-url https://gateway.example.com \\\n  --out config.json',
    'gatepass config check config.json',
    'gatepass config export config.json --to linux',
  ],
  'config init': [
    'gatepass config init --kind external-idp --issuer https://id.example.com \\\n  --client-id gatepass --base-url https://gateway.example.com \\\n  --out config.json',
    'gatepass config init --kind external-idp --issuer https://id.example.com \\\n  --client-id gatepass --base-url https://gateway.example.com',
  ],
  'config check': [
    'gatepass config check config.json',
    'gatepass config check --here --strict config.json',
    'gatepass config check --format github config.json',
  ],
  'config convert': [
    'gatepass config convert config.json --to managed',
    'gatepass config convert config.json --to flat --out flat.json',
  ],
  'config export': [
    'gatepass config export config.json --to mobileconfig \\\n  --out gatepass.mobileconfig',
    'gatepass config export config.json --to linux --out managed.json',
    'gatepass config export --to reg --undo --out undo.reg',
  ],
  'config fields': ['gatepass config fields --kind helper-script', 'gatepass config fields --client-version 1.14271.0'],
  'config schema': ['gatepass config schema', 'gatepass config schema > config.schema.json'],
  'config diff': ['gatepass config diff config.json new.json', 'gatepass config diff --json config.json new.json'],
  'config edit': [
    'gatepass config edit config.json',
    'gatepass config edit config.json --no-browser --client-version 1.14271.0',
  ],
  'check-helper': [
    'gatepass check-helper /opt/acme/helper',
    'gatepass check-helper --client codex --rule headers /opt/acme/helper',
    'gatepass check-helper --ttl 900 /opt/acme/helper',
  ],
  simulate: [
    'gatepass simulate',
    'gatepass simulate config.json --scenario sign-in-ends --html day.html',
    'gatepass simulate --fleet 500 --against ttlSec=900',
  ],
  verify: [
    'gatepass verify -- /opt/acme/helper',
    'gatepass verify --file token.txt --issuer https://id.example.com',
    'gatepass verify --file token.txt --policy policy.json',
  ],
  vendor: ['gatepass vendor', 'gatepass vendor check vendor.json'],
  'vendor list': ['gatepass vendor list', 'gatepass vendor list --json'],
  'vendor show': ['gatepass vendor show', 'gatepass vendor show --json'],
  'vendor check': [
    'gatepass vendor check vendor.json',
    'gatepass vendor check vendor.json --installed',
    'gatepass vendor init --name Acme --env-prefix ACME \\\n  --header-prefix acme --cloud-word Acme --key-prefix sk-acme- \\\n  | gatepass vendor check -',
  ],
  'vendor init': [
    'gatepass vendor init --client claude-desktop --out vendor.json',
    'gatepass vendor init --name Acme --env-prefix ACME \\\n  --header-prefix acme --cloud-word Acme --key-prefix sk-acme- \\\n  --out vendor.json',
  ],
  doctor: ['gatepass doctor config.json', 'gatepass doctor config.json --yes --report ticket.txt'],
  run: [
    'gatepass run --document config.json -- opencode',
    'gatepass run --helper /opt/acme/helper \\\n  --base-url https://gateway.example.com -- gemini',
    'gatepass run --document config.json --base-url-variable ACME_URL \\\n  --key-variable ACME_KEY -- acme-client chat',
  ],
  api: [
    'gatepass api GET /v1/organizations/workspaces --document config.json',
    'gatepass api workspaces list --document config.json',
    'gatepass api messages create Hello --document config.json',
  ],
  'api request': [
    'gatepass api GET /v1/organizations/workspaces --paginate --select id',
    'gatepass api POST /v1/messages --input message.json --document config.json',
  ],
  'api resources': [
    'gatepass api resources list "$SESSION"',
    'gatepass api resources add "$SESSION" "$FILE" --mount-path /mnt/data.csv',
  ],
  'api resources list': [
    'gatepass api resources list "$SESSION"',
    'gatepass api resources list "$SESSION" --json --document config.json',
  ],
  'api resources add': [
    'gatepass api resources add "$SESSION" "$FILE"',
    'gatepass api resources add "$SESSION" "$FILE" --mount-path /mnt/data.csv',
  ],
  'api resources get': [
    'gatepass api resources get "$SESSION" "$RESOURCE"',
    'gatepass api resources get "$SESSION" "$RESOURCE" --document config.json',
  ],
  'api resources rotate': [
    'gatepass api resources rotate "$SESSION" "$RESOURCE" --input token.txt',
    'gatepass api resources rotate "$SESSION" "$RESOURCE" < token.txt',
  ],
  'api events': [
    'gatepass api events send "$SESSION" "run the tests"',
    'gatepass api events send "$SESSION" "run the tests" --document config.json',
  ],
  'api events send': [
    'gatepass api events send "$SESSION" "run the tests"',
    'gatepass api events send "$SESSION" "run the tests" "then the linter"',
  ],
  'api messages': [
    'gatepass api messages create Hello --document config.json',
    'gatepass api messages create "Tell me a story" --stream',
  ],
  'api messages create': [
    'gatepass api messages create Hello --document config.json',
    'gatepass api messages create "Tell me a story" --max-tokens 4096 --stream',
  ],
  'api keys': ['gatepass api keys list', 'gatepass api keys list --json --document config.json'],
  'api keys get': ['gatepass api keys get "$KEY_ID"', 'gatepass api keys get "$KEY_ID" --document config.json'],
  'api keys list': ['gatepass api keys list', 'gatepass api keys list --json --document config.json'],
  'api workspaces': ['gatepass api workspaces list', 'gatepass api workspaces list --include-default'],
  'api workspaces list': ['gatepass api workspaces list', 'gatepass api workspaces list --include-default --json'],
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
  bootstrap: [
    'gatepass bootstrap check rollout',
    'gatepass bootstrap explain rollout --subject u-1042 --claim groups=engineering',
    'gatepass bootstrap promote releases --wave 1 --signing-key release.key',
  ],
  'bootstrap check': [
    'gatepass bootstrap check rollout',
    'gatepass bootstrap check rollout --strict --json',
    'gatepass bootstrap check rollout \\\n  --release releases --public-key release.key.pub',
  ],
  'bootstrap explain': [
    'gatepass bootstrap explain rollout --subject u-1042 --claim groups=engineering',
    'gatepass bootstrap explain rollout --subject u-1042 --claim country=DE \\\n  --release releases --public-key release.key.pub',
  ],
  'bootstrap diff': [
    'gatepass bootstrap diff rollout \\\n  --release releases --public-key release.key.pub',
    'gatepass bootstrap diff rollout --json \\\n  --release releases --public-key release.key.pub',
  ],
  'bootstrap schema': ['gatepass bootstrap schema', 'gatepass bootstrap schema > rollout.schema.json'],
  'bootstrap keygen': [
    'gatepass bootstrap keygen --out release.key',
    'gatepass bootstrap keygen --out release.key --json',
  ],
  'bootstrap release': [
    'gatepass bootstrap release rollout --to releases --signing-key release.key',
    'gatepass bootstrap release rollout --to releases --signing-key env:RELEASE_KEY',
  ],
  'bootstrap promote': [
    'gatepass bootstrap promote releases --wave 1 --signing-key release.key',
    'gatepass bootstrap promote releases --wave 2 --resume \\\n  --signing-key release.key',
  ],
  'bootstrap halt': [
    'gatepass bootstrap halt releases --signing-key release.key',
    'gatepass bootstrap halt releases --signing-key env:RELEASE_KEY --json',
  ],
  'bootstrap revert': [
    'gatepass bootstrap revert releases --signing-key release.key',
    'gatepass bootstrap revert releases --signing-key env:RELEASE_KEY --json',
  ],
  'bootstrap simulate': [
    'gatepass bootstrap simulate --scenario bad-release --desktops 500',
    'gatepass bootstrap simulate --desktops 500 --html day.html',
  ],
  'bootstrap serve': [
    'gatepass bootstrap serve --policy policy.json --release releases \\\n  --public-key release.key.pub --audit audit.log',
    'gatepass bootstrap serve --policy policy.json --release releases \\\n  --public-key release.key.pub --secret gateway-key=gateway-key.txt',
  ],
  fleet: ['gatepass fleet report logs', 'gatepass fleet report logs --since 12h --html fleet.html'],
  'fleet report': [
    'gatepass fleet report logs --since 12h --html fleet.html',
    'gatepass fleet report calls.log --json',
    'journalctl -o json --since today | gatepass fleet report -',
  ],
  cache: ['gatepass cache list', 'gatepass cache clear'],
  'cache list': ['gatepass cache list', 'gatepass cache list --json'],
  'cache clear': ['gatepass cache list', 'gatepass cache clear'],
  completion: [
    'source <(gatepass completion bash)',
    'source <(gatepass completion zsh)',
    'gatepass completion fish | source',
  ],
}
