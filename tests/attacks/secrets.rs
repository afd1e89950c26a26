//! Shapes of secrets, found and masked by the built-in rules; and what looks like one and is none.
//!
//! A shape is written with marks, so that this file holds none: `⟨h32⟩` stands for 32 characters of
//! an alphabet (see [`alphabet`]), `⟨U⟩` for a UUID, `·` for nothing, and `«…»` is what is secret.

use super::leaks::kept;
use crate::checks::desk::Desk;
use crate::git::yard::Yard;
use crate::support::{House, Said, payload};
use serde_json::json;
use std::collections::HashSet;

/// A kind of secret, a file, a line of it, and the verdict; `allow` is out of reach.
const SHAPES: &[(&str, &str, &str, &str)] = &[
    ("AWS key id", "a.py", "KEY = \"«AKIA⟨u16⟩»\"", "deny"),
    ("AWS secret key", "a.ini", "aws_secret_access_key = «⟨b40⟩»", "deny"),
    ("Google API key", "a.js", "const key = \"«AIza⟨w35⟩»\"", "deny"),
    ("Google OAuth client", "a.json", "{\"client\": \"«GOCSPX-⟨w28⟩»\"}", "deny"),
    ("Google access token", "a.sh", "T=«ya29.⟨w90⟩»", "deny"),
    ("Azure storage", "a.txt", "AccountName=a;AccountKey=«⟨b86⟩==»;", "deny"),
    ("Azure client secret", "a.txt", "value: «⟨a3⟩8Q~⟨a34⟩»", "deny"),
    ("Azure DevOps", "a.txt", "«⟨a76⟩AZDO⟨a4⟩»", "deny"),
    ("Azure signed address", "a.cs", "\"https://x.example.net/c?sv=1&sig=«⟨a43⟩%3D»\"", "ask"),
    ("GitHub personal", "a.py", "t = \"«ghp_⟨a36⟩»\"", "deny"),
    ("GitHub OAuth", "a.py", "t = \"«gho_⟨a36⟩»\"", "deny"),
    ("GitHub app", "a.py", "t = \"«ghs_⟨a36⟩»\"", "deny"),
    ("GitHub fine-grained", "a.md", "use «github_pat_⟨a22⟩_⟨a59⟩»", "deny"),
    ("GitLab personal", "a.go", "t := \"«glpat-⟨w20⟩»\"", "deny"),
    ("GitLab runner", "a.toml", "t = \"«glrt-⟨w20⟩»\"", "deny"),
    ("GitLab agent", "a.toml", "t = \"«glagent-⟨w50⟩»\"", "deny"),
    ("npm", "a.yml", "npmAuthToken: «npm_⟨a36⟩»", "deny"),
    ("npm UUID", "npmrc.txt", "//registry.example.org/:_authToken=«⟨U⟩»", "deny"),
    ("npm login", "npmrc.txt", "_auth = «⟨b24⟩»", "ask"),
    ("PyPI", "a.txt", "«pypi-AgE⟨w90⟩»", "deny"),
    ("RubyGems", "a.txt", "«rubygems_⟨h48⟩»", "deny"),
    ("crates.io", "a.txt", "«cio⟨a32⟩»", "deny"),
    ("NuGet", "a.txt", "«oy2⟨x43⟩»", "deny"),
    ("Clojars", "a.txt", "«CLOJARS_⟨x60⟩»", "deny"),
    ("CircleCI", "a.txt", "«CCIPAT_⟨a22⟩_⟨h40⟩»", "deny"),
    ("Docker Hub", "a.txt", "«dckr_pat_⟨w27⟩»", "deny"),
    ("Docker login", "config.json", "{\"auths\": {\"r\": {\"auth\": \"«⟨b28⟩»\"}}}", "ask"),
    ("Slack bot", "a.py", "S = \"«xoxb-⟨d12⟩-⟨d12⟩-⟨a24⟩»\"", "deny"),
    ("Slack app", "a.py", "S = \"«xapp-1-⟨u11⟩-⟨d13⟩-⟨h64⟩»\"", "deny"),
    ("Slack hook", "a.ts", "\"https://hooks.slack.com/services/T⟨u9⟩/B⟨u9⟩/«⟨a24⟩»\"", "deny"),
    (
        "Teams hook",
        "a.ts",
        "\"https://x.webhook.office.com/webhookb2/⟨U⟩@⟨U⟩/IncomingWebhook/«⟨h32⟩»/1\"",
        "deny",
    ),
    ("Discord hook", "a.ts", "\"https://discord.com/api/webhooks/⟨d18⟩/«⟨w68⟩»\"", "deny"),
    ("Discord bot", "bot.js", "client.login(\"«MT⟨a22⟩.⟨w6⟩.⟨w38⟩»\")", "deny"),
    ("Discord bot by name", "bot.py", "DISCORD_TOKEN = \"«OD⟨a22⟩.⟨w6⟩.⟨w27⟩»\"", "deny"),
    ("Telegram bot", "bot.py", "bot = Bot(\"«⟨d10⟩:AA⟨w33⟩»\")", "deny"),
    ("Twilio key", "a.js", "const sid = \"«SK⟨h32⟩»\"", "deny"),
    ("Twilio auth token", "a.py", "TWILIO_AUTH_TOKEN = \"«⟨h32⟩»\"", "ask"),
    ("SendGrid", "a.php", "$k = '«SG.⟨w22⟩.⟨w43⟩»';", "deny"),
    ("Mailgun", "a.py", "k = \"«key-⟨h32⟩»\"", "deny"),
    ("Mailchimp", "a.py", "k = \"«⟨h32⟩-us12»\"", "deny"),
    ("Brevo", "a.py", "k = \"«xkeysib-⟨h64⟩-⟨a16⟩»\"", "deny"),
    ("Stripe", "a.rb", "Stripe.k = \"«sk_live_⟨a24⟩»\"", "deny"),
    ("Stripe hook", "a.rb", "s = \"«whsec_⟨a32⟩»\"", "deny"),
    ("Shopify", "a.rb", "s = \"«shpat_⟨h32⟩»\"", "deny"),
    ("Square", "a.rb", "s = \"«sq0atp-⟨w22⟩»\"", "deny"),
    ("Braintree", "a.rb", "s = \"«access_token$production$⟨x16⟩$⟨h32⟩»\"", "deny"),
    ("Anthropic", "a.py", "k = \"«sk-ant-api03-⟨w95⟩»\"", "deny"),
    ("OpenAI", "a.py", "k = \"«sk-proj-⟨w40⟩T3BlbkFJ⟨w40⟩»\"", "deny"),
    ("Hugging Face", "a.py", "login(\"«hf_⟨l34⟩»\")", "deny"),
    ("Groq", "a.py", "k = \"«gsk_⟨a52⟩»\"", "deny"),
    ("OpenRouter", "a.py", "k = \"«sk-or-v1-⟨h64⟩»\"", "deny"),
    ("xAI", "a.py", "k = \"«xai-⟨a80⟩»\"", "deny"),
    ("Perplexity", "a.py", "k = \"«pplx-⟨a48⟩»\"", "deny"),
    ("Replicate", "a.py", "k = \"«r8_⟨a37⟩»\"", "deny"),
    ("Vault", "a.sh", "export T=«hvs.⟨w28⟩»", "deny"),
    ("Vault batch", "a.sh", "export T=«hvb.⟨w90⟩»", "deny"),
    ("DigitalOcean", "a.tf", "t = \"«dop_v1_⟨h64⟩»\"", "deny"),
    ("Databricks", "a.cfg", "t = «dapi⟨h32⟩»", "deny"),
    ("Doppler", "a.sh", "T=«dp.pt.⟨a43⟩»", "deny"),
    ("Doppler service", "a.sh", "T=«dp.st.dev_eu.⟨a43⟩»", "deny"),
    ("1Password", "a.sh", "T=«ops_eyJ⟨w120⟩»", "deny"),
    ("Terraform Cloud", "a.txt", "«⟨a14⟩.atlasv1.⟨w67⟩»", "deny"),
    ("Pulumi", "a.sh", "T=«pul-⟨h40⟩»", "deny"),
    ("PlanetScale", "a.sh", "T=«pscale_tkn_⟨w43⟩»", "deny"),
    ("Supabase", "a.sh", "T=«sbp_⟨h40⟩»", "deny"),
    ("Netlify", "a.sh", "T=«nfp_⟨a40⟩»", "deny"),
    ("Heroku", "a.sh", "T=«HRKU-⟨U⟩»", "deny"),
    ("Fly", "a.sh", "T=\"FlyV1 «fm2_⟨b100⟩»\"", "deny"),
    ("Grafana", "a.yml", "t: «glsa_⟨a32⟩_⟨h8⟩»", "deny"),
    ("Sentry", "a.yml", "t: «sntryu_⟨h64⟩»", "deny"),
    ("New Relic", "a.yml", "t: «NRAK-⟨u27⟩»", "deny"),
    ("Dynatrace", "a.yml", "t: «dt0c01.⟨u24⟩.⟨u64⟩»", "deny"),
    ("Postman", "a.js", "k = '«PMAK-⟨h24⟩-⟨h34⟩»'", "deny"),
    ("Linear", "a.js", "k = '«lin_api_⟨a40⟩»'", "deny"),
    ("Notion", "a.js", "k = '«ntn_⟨a46⟩»'", "deny"),
    ("Airtable", "a.js", "AIRTABLE_TOKEN = '«pat⟨a14⟩.⟨h64⟩»'", "ask"),
    ("Figma", "a.js", "k = '«figd_⟨w40⟩»'", "deny"),
    ("Atlassian", "a.js", "k = '«ATATT3xFfGF0⟨w100⟩»'", "deny"),
    ("HubSpot", "a.js", "k = '«pat-na1-⟨U⟩»'", "deny"),
    ("Contentful", "a.js", "k = '«CFPAT-⟨w43⟩»'", "deny"),
    ("Mapbox", "a.js", "k = '«sk.eyJ⟨w64⟩.⟨w22⟩»'", "deny"),
    ("Alibaba Cloud key id", "a.py", "k = '«LTAI⟨a20⟩»'", "deny"),
    ("Artifactory", "a.sh", "T=«AKCp⟨a69⟩»", "deny"),
    ("Buildkite", "a.sh", "T=«bkua_⟨h40⟩»", "deny"),
    ("SonarQube", "a.sh", "T=«squ_⟨h40⟩»", "deny"),
    ("Sourcegraph", "a.sh", "T=«sgp_⟨h40⟩»", "deny"),
    ("Amazon MWS", "a.py", "k = '«amzn.mws.⟨U⟩»'", "deny"),
    ("Shippo", "a.py", "k = '«shippo_live_⟨h40⟩»'", "deny"),
    ("Plaid", "a.py", "k = '«access-production-⟨U⟩»'", "deny"),
    (
        "PGP key in a comment",
        "a.py",
        "# -----BEGIN PGP PRI·VATE KEY BLOCK-----\n#\n# «lQO·YB⟨b48⟩»",
        "deny",
    ),
    ("encrypted key in a comment", "a.py", "# «MIIF·HDBOBgk·qhkiG9w0BBQ0w⟨b48⟩»", "deny"),
    ("age", "a.txt", "«AGE-·SECRET-KEY-1⟨u58⟩»", "deny"),
    (
        "RSA key",
        "a.pem",
        "-----BEGIN RSA PRI·VATE KEY-----\n«⟨b64⟩»\n-----END RSA PRI·VATE KEY-----",
        "deny",
    ),
    ("PGP key", "a.asc", "-----BEGIN PGP PRI·VATE KEY BLOCK-----\n\n«⟨b64⟩»", "deny"),
    ("key in JSON", "a.json", "{\"k\": \"-----BEGIN PRI·VATE KEY-----\\n«⟨b64⟩»\\n\"}", "deny"),
    ("key in a comment", "a.rs", "// «MIIE·owIBA·AKCAQEA⟨b48⟩»", "deny"),
    (
        "key in a list",
        "a.py",
        "[\"-----BEGIN PRI·VATE KEY-----\",\n \"«MIIE·vQIBA·DANBgkqhkiG9w0BAQEFAASC⟨b32⟩»\"]",
        "deny",
    ),
    (
        "kubeconfig key",
        "a.yml",
        "client-key-data: «LS0tLS1C·RUdJTiBSU0EgUFJJVkFURSBLRVkt⟨b60⟩»",
        "deny",
    ),
    ("key file", "id_ed25519", "«⟨b70⟩»", "deny"),
    ("signed token", "a.py", "t = \"«eyJ⟨w20⟩.eyJ⟨w40⟩.⟨w43⟩»\"", "ask"),
    ("URL", "a.py", "U = \"postgresql://app:«⟨a6⟩7⟨a6⟩»@db/app\"", "ask"),
    ("URL with an escape", "a.py", "U = \"postgresql://app:«⟨l5⟩%40⟨l8⟩»@db/app\"", "ask"),
    ("JDBC", "a.java", "String u = \"jdbc:mysql://db/app?user=app&password=«⟨a12⟩»\";", "ask"),
    ("ADO", "a.cs", "var c = \"Server=db;User Id=app;Password=«⟨a12⟩»;\";", "ask"),
    ("Terraform", "a.tf", "secret_key = \"«⟨b40⟩»\"", "ask"),
    ("Terraform variable", "a.tfvars", "db_password = \"«⟨a12⟩»\"", "ask"),
    ("Python", "a.py", "DB_PASSWORD = '«⟨a12⟩»'", "ask"),
    ("Python, typed", "a.py", "password: str = '«⟨a12⟩»'", "ask"),
    ("Python, by default", "a.py", "p = os.environ.get(\"DB_PASSWORD\", \"«⟨a12⟩»\")", "ask"),
    ("JavaScript", "a.js", "const c = { apiKey: \"«⟨a32⟩»\" }", "ask"),
    ("Java", "A.java", "source.setPassword(\"«⟨a12⟩»\");", "ask"),
    ("Go", "a.go", "apiSecret := \"«⟨h40⟩»\"", "ask"),
    ("Rust", "a.rs", "const PASSWORD: &str = \"«⟨a12⟩»\";", "ask"),
    ("PHP", "a.php", "define('DB_PASSWORD', '«⟨a12⟩»');", "ask"),
    ("Ruby", "a.rb", ":password => \"«⟨a12⟩»\",", "ask"),
    ("JSON", "a.json", "{\"clientSecret\": \"«⟨a32⟩»\"}", "ask"),
    ("XML", "a.xml", "<password>«⟨a12⟩»</password>", "ask"),
    ("XML attribute", "a.xml", "<property name=\"password\" value=\"«⟨a12⟩»\"/>", "ask"),
    ("SQL", "a.sql", "CREATE USER app IDENTIFIED BY '«⟨a12⟩»';", "ask"),
    ("YAML", "a.yml", "  password: «⟨a12⟩»", "ask"),
    ("YAML list", "a.yml", "  - POSTGRES_PASSWORD=«⟨a12⟩»", "ask"),
    ("shell", "a.sh", "export DB_PASSWORD=«⟨a12⟩»", "ask"),
    ("Dockerfile", "Dockerfile", "ENV API_TOKEN=«⟨a24⟩»", "ask"),
    ("properties", "a.properties", "spring.datasource.password=«⟨a12⟩»", "ask"),
    ("ini", "a.ini", "api_key = «⟨h32⟩»", "ask"),
    (".env", ".env", "DB_PASSWORD=«⟨a12⟩»", "ask"),
    (".envrc", ".envrc", "export API_TOKEN=«⟨a24⟩»", "ask"),
    ("Basic header", "a.py", "h = {\"Authorization\": \"Basic «⟨b24⟩»\"}", "ask"),
    ("Bearer header", "a.http", "Authorization: Bearer «⟨a40⟩»", "ask"),
    ("curl -u", "a.sh", "curl -sS -u app:«⟨a12⟩» https://example.org", "ask"),
    ("command line", "a.sh", "PGPASSWORD=«⟨a12⟩» psql app", "ask"),
    (".netrc", "netrc", "machine example.org login app password «⟨a12⟩»", "ask"),
    // Out of reach: nothing tells that these are secret.
    ("hex without a name", "a.py", "x = \"«⟨h32⟩»\"", "allow"),
    ("words", "a.py", "password = 'correct horse battery'", "allow"),
    ("a name that does not tell", "a.py", "x = '«⟨a12⟩»'", "allow"),
];

/// What looks like a secret and is none.
const OTHERS: &[(&str, &str)] = &[
    ("a.py", "password = os.environ[\"DB_PASSWORD\"]"),
    ("a.py", "password = getpass.getpass('Password for db1: ')"),
    ("a.py", "password = 'changeme1'"),
    ("a.py", "password = 'example-password-1'"),
    ("a.py", "password = \"${DB_PASSWORD1}\""),
    ("a.py", "password = f\"{prefix}{number1}\""),
    ("a.py", "password = '<your password 1>'"),
    ("a.py", "password = 'xxxxxxxx1'"),
    ("a.py", "PASSWORD_FIELD = 'password1'"),
    ("a.py", "password = 'hunter'"),
    ("a.py", "password_reset_url = '/accounts/reset2/confirm'"),
    ("a.py", "password_hash = 'pbkdf2_sha256$260000$abc'"),
    ("a.py", "secret_name = 'projects/app/db-2-eu1'"),
    ("a.py", "SECRET_KEY = 'your-secret-key-here-1-2'"),
    ("a.py", "token_url = 'https://login2.example.org/oauth2/token'"),
    ("a.py", "token = 'kv-prod-2-eu1-west2-a'"),
    ("a.py", "token = tokens[0]"),
    ("a.py", "if token == 'ENDMARKER': pass"),
    ("a.py", "if password == other: pass"),
    ("a.py", "api_key = config['api_key2']"),
    ("a.py", "api_key = 'YOUR_API_KEY_GOES_HERE_12'"),
    ("a.py", "auth_token = None"),
    ("a.py", "token: str = field(default='')"),
    ("a.js", "const apiKey = process.env.API_KEY2"),
    ("a.js", "const apiKey = `${process.env.API_KEY2}`"),
    ("a.js", "const t = { password: 'Please enter your password 1' }"),
    ("a.js", "localStorage.setItem('token', response.token2)"),
    ("a.js", "const secret = \"{{ vault.secret1 }}\""),
    ("a.ts", "type Props = { password: string; token2: string }"),
    ("a.ts", "token: 'auth.token.v2.expired1'"),
    ("a.go", "password := os.Getenv(\"DB_PASSWORD1\")"),
    ("a.go", "const headerToken = \"X-Auth-Token-V2\""),
    ("a.tf", "secret_key = var.secret_key1"),
    ("a.tf", "secret_key = \"${var.secret_key1}\""),
    ("a.yml", "password: ${DB_PASSWORD1}"),
    ("a.yml", "password: {{ db_password1 }}"),
    ("a.yml", "password: !vault |"),
    ("a.yml", "password: \"%env(DB_PASSWORD1)%\""),
    ("a.yml", "password: ENC[AES256_GCM,data:1]"),
    ("a.yml", "password: op://vault1/item/field"),
    ("a.yml", "token: changeme-1-2-3"),
    ("a.yml", "secretName: tls-cert-2"),
    ("a.yml", "key: node-role.example.org/master1"),
    ("a.properties", "spring.datasource.password=${DB_PASSWORD1}"),
    ("a.ini", "password_file = /run/secrets/db1"),
    ("a.xml", "<password>${db.password1}</password>"),
    ("a.xml", "<token>literal</token>"),
    ("a.sql", "CREATE USER app IDENTIFIED BY '<password>';"),
    ("a.java", "String u = \"jdbc:mysql://db/app?user=app&password=\" + password;"),
    ("a.java", "String u = \"jdbc:mysql://db/app?user=app&password=${PASSWORD}\";"),
    ("a.cs", "var c = \"Server=db;User Id=app;Password={0};\";"),
    ("a.cs", "var c = \"Server=db;User Id=app;Password=<password>;\";"),
    ("a.py", "U = \"postgresql://app:%s@db/app\" % x"),
    ("a.py", "U = \"https://user:pass%20pass@example.org\""),
    ("a.py", "h = {\"Authorization\": \"Basic \" + encoded1}"),
    ("a.py", "h = {\"Authorization\": \"Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\"}"),
    ("a.py", "h = {\"Authorization\": \"Basic dXNlcjpwYXNzd29yZA==\"}"),
    ("a.py", "h = {\"Authorization\": f\"Bearer {token1}\"}"),
    ("a.md", "Basic Authentication1 and Bearer authentication"),
    ("a.sh", "curl -u \"$USER:$PASSWORD1\" https://example.org"),
    ("a.sh", "curl -u user:password1 https://example.org"),
    ("a.sh", "PGPASSWORD=$PASSWORD1 psql app"),
    ("a.sh", "export DB_PASSWORD=$1"),
    ("a.sh", "token=$(cat /run/secrets/token1)"),
    ("Dockerfile", "ARG API_TOKEN1"),
    ("Dockerfile", "ENV TOKEN_FILE=/run/secrets/token1"),
    ("a.sh", "sk.eyJ.example1"),
    ("a.sh", "mysql -u root -p \"$DATABASE1\""),
    ("npmrc.txt", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}"),
    ("npmrc.txt", "//registry.npmjs.org/:_authToken=00000000-0000-0000-0000-000000000000"),
    ("tests/a.py", "password = 'Zq7x9Lm2Rt4v'"),
    ("a_test.go", "password := \"Zq7x9Lm2Rt4v\""),
    ("a.md", "password = 'Zq7x9Lm2Rt4v'"),
    ("a.sh", "T=hvs.your-token-here"),
    ("a.sh", "T=ghp_·xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
    ("a.sh", "T=AKIA·XXXXXXXXXXXXXXXX"),
    ("a.sh", "T=key-·00000000000000000000000000000000"),
    ("a.sh", "T=hvs.·1234567890abcdefghijklmnop"),
    ("a.yml", "u: https://hooks.slack.com/services/T00000000/B00000000/·XXXXXXXXXXXXXXXXXXXXXXXX"),
    ("a.yml", "test: mysqladmin ping --password=\"$$(cat /run/secrets/db-password1)\""),
    ("a.py", "x = dp.st.value"),
    ("a.py", "k = 'key-value'"),
    ("a.py", "t = '12345678:AAmount'"),
    ("a.py", "client.login(\"name\", password)"),
    ("a.yml", "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUMv"),
];

/// Returns the characters that a mark stands for.
fn alphabet(kind: char) -> &'static [u8] {
    match kind {
        'a' => b"q7Rk2ZvX9mT4bLw8Yc3Nf6Hs5Jd1Gp0uVzKi",
        'b' => b"q7Rk2ZvX9mT4b+w8Yc3Nf6Hs5/d1Gp0uVzKi",
        'd' => b"7294861350",
        'h' => b"7c2e9fa4b8d3061f5",
        'l' => b"qRkZvXmTbLwYcNfHsJdGpuVzKi",
        'u' => b"Q7RK2ZVX4TBW3YC5NFHMSJDGPUAI",
        'w' => b"q7Rk2Zv_X9mT4bL-w8Yc3Nf6Hs5Jd1Gp0uVzKi",
        'x' => b"q7k2zvx9mt4bw8yc3nf6hs5jd1gp0uirl",
        _ => panic!("{kind}"),
    }
}

/// Returns the text of a shape, and what is secret in it.
fn filled(shape: &str) -> (String, String) {
    let mut text = String::new();
    let mut rest = shape;
    while let Some((before, mark)) = rest.split_once('⟨') {
        let (mark, after) = mark.split_once('⟩').unwrap();
        let written = if mark == "U" { "h8-h4-h4-h4-h12" } else { mark };
        let parts = written.split('-').map(|part| {
            let (kind, count) = part.split_at(1);
            let letters = alphabet(kind.chars().next().unwrap());
            // Not the same row of characters in each shape.
            let from = shape.len() + text.len();
            let count: usize = count.parse().unwrap();
            (0..count).map(|at| char::from(letters[(from + at * 5) % letters.len()])).collect()
        });
        let parts = parts.collect::<Vec<String>>().join("-");
        text.push_str(before);
        text.push_str(&parts);
        rest = after;
    }
    let text = (text + rest).replace('·', "");
    let secret = text.split_once('«').and_then(|(_, rest)| rest.split_once('»'));
    let secret = secret.map(|(secret, _)| secret.to_owned()).unwrap_or_default();
    (text.replace(['«', '»'], ""), secret)
}

fn write(house: &House, path: &str, text: &str) -> Said {
    let write = payload("Write", &json!({"file_path": path, "content": format!("{text}\n")}));
    house.run(&["hook", "--agent", "claude", "--explain"], write.to_string())
}

/// Asserts that no nine bytes in a row of a secret stand in a text.
#[track_caller]
fn hides<'s>(text: &str, secrets: impl IntoIterator<Item = &'s (&'s str, String)>) {
    let shown: HashSet<&[u8]> = text.as_bytes().windows(9).collect();
    for (kind, secret) in secrets {
        assert!(secret.len() > 8, "{kind}: {secret}");
        let piece = secret.as_bytes().windows(9).find(|piece| shown.contains(piece));
        assert_eq!(piece, None, "{kind}: {secret}");
    }
}

fn verdict(said: &Said) -> &'static str {
    let told =
        |verdict: &&str| said.stdout.contains(&format!("\"permissionDecision\":\"{verdict}\""));
    ["deny", "ask"].into_iter().find(told).unwrap_or("allow")
}

#[test]
fn secrets_of_many_shapes_are_found_and_shown_nowhere() {
    // What is out of reach is kept in clear, and shares rows of characters with the others.
    let (house, elsewhere) = (House::new(), House::new());
    let (mut wrong, mut secrets) = (Vec::new(), Vec::new());
    for (kind, path, shape, expected) in SHAPES {
        let (text, secret) = filled(shape);
        let reached = *expected != "allow";
        let said = write(if reached { &house } else { &elsewhere }, path, &text);
        if verdict(&said) != *expected {
            wrong.push(format!("{kind}: {} and not {expected}: {text}", verdict(&said)));
        }
        if reached {
            let found = (*kind, secret);
            hides(&format!("{}{}", said.stdout, said.stderr), [&found]);
            secrets.push(found);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(secrets.len() >= 60 && SHAPES.len() >= 66);
    hides(&kept(&house.root()), &secrets);
}

#[test]
fn no_report_shows_a_secret_of_any_shape() {
    let desk = Desk(Yard::new());
    let mut secrets = Vec::new();
    for ((kind, path, shape, expected), number) in SHAPES.iter().zip(0..) {
        if *expected != "allow" {
            let (text, secret) = filled(shape);
            desk.write(format!("{number}/{path}"), format!("{text}\n"));
            secrets.push((*kind, secret));
        }
    }
    desk.stage();
    for format in ["text", "json", "sarif", "github", "junit", "markdown"] {
        let said = desk.run(&["check-staged", "--format", format], "");
        assert_eq!(said.status, Some(1), "{said:?}");
        hides(&format!("{}{}", said.stdout, said.stderr), &secrets);
    }
    hides(&kept(&desk.root), &secrets);
}

#[test]
fn what_only_looks_like_a_secret_passes() {
    let house = House::new();
    let asked =
        |(path, text): &&(&str, &str)| verdict(&write(&house, path, &filled(text).0)) != "allow";
    let wrong: Vec<_> = OTHERS.iter().filter(asked).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
