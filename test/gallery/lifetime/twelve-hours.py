# Mistake: its Bedrock key claims twelve hours, whatever its temporary credentials have left.
# Fails: bedrock-life
from parts.token import *

date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
query = (
    "Action=CallWithBearerToken&X-Amz-Algorithm=AWS4-HMAC-SHA256"
    f"&X-Amz-Credential=ASIAEXAMPLE%2F{date[:8]}%2Feu-central-1%2Fbedrock%2Faws4_request"
    f"&X-Amz-Date={date}&X-Amz-Expires=43200&X-Amz-Security-Token=session&X-Amz-SignedHeaders=host"
    f"&X-Amz-Signature={'0' * 64}&Version=1"
)
print_token("bedrock-api-key-" + base64.b64encode(f"bedrock.amazonaws.com/?{query}".encode()).decode())
