//! Steps in another language: what they see, what is made of their output, and what may be wrong.

use std::fs;
use std::time::{Duration, Instant};

use super::project::Project;

const COLUMNS: &str = "columns = [{ name = \"x\" }]";

/// A step that fails is reported with its reason, and nothing of it is kept.
#[track_caller]
fn refused(script: &str, params: &str, rest: &str, exit: i32, says: &[&str]) {
    let project = Project::new();
    project.step("bad", script, params, rest);
    project.expect(&["reproduce"], exit, says);
    project.expect(&["reproduce", "--bless", "--allow-dirty"], exit, &[]);
    assert!(!project.path("results/own/bad").exists());
    let (_, list) = project.run(&["list"]);
    assert!(!list.contains("fresh"), "{list}");
}

#[test]
fn a_step_that_fails_shows_the_end_of_its_output() {
    let says = ["`sh steps/bad.sh`: exit status: 3", "    no luck today"];
    refused("echo no luck today >&2; exit 3", COLUMNS, "", 5, &says);
    let says = ["wrote no file `out.csv`", "    done"];
    refused("echo done", COLUMNS, "", 5, &says);
    let much = "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last; exit 1";
    let says = ["exit status: 1", "(100000006 bytes)", "    last"];
    refused(much, COLUMNS, "", 5, &says);
}

#[test]
fn an_output_that_is_not_as_declared_is_refused_with_its_place() {
    let writes = |text: &str| format!("printf '{text}' > out.csv");
    let cases: [(&str, &[&str]); 8] = [
        (
            "row,x,y\\na,1,2\\n",
            &["out.csv has column `y`, which `columns` does not declare"],
        ),
        (
            "row,z\\na,1\\n",
            &["column `z`", "and lacks `x`; declared are `row`, `x`"],
        ),
        ("row\\na\\n", &["out.csv has no column `x`"]),
        (
            "row,x\\na,1\\nb,NaN\\n",
            &["out.csv:3: column `x` is `NaN`, not a finite number; leave the field empty"],
        ),
        (
            "row,x\\na,1\\nb,many\\n",
            &["out.csv:3: column `x`", "many"],
        ),
        (
            "row,x\\na,1\\nb,2\\na,3\\n",
            &["record 3: row `a` is also record 1"],
        ),
        ("row,x\\n,1\\n", &["record 1: column `row` names no row"]),
        ("row,x\\n", &["out.csv has no rows"]),
    ];
    for (text, says) in cases {
        refused(&writes(text), COLUMNS, "", 5, says);
    }
    let cells = format!("{COLUMNS}\ncells = [{{ id = \"a\" }}, {{ id = \"b\" }}]");
    let says = [
        "unexpected row `c`; this cell declares `a`",
        "out.csv has no row `b`; it has none",
    ];
    let script =
        "[ $KIBITZ_CELL = a ] && row=c || row=; printf \"row,x\\n${row:+$row,1\\n}\" > out.csv";
    refused(script, &cells, "", 5, &says);
}

#[test]
fn what_is_not_a_file_is_not_an_output() {
    let cases = [
        (
            "ln -s /etc/hostname out.csv",
            "wrote a link `out.csv`, expected a file",
        ),
        ("mkdir out.csv", "wrote a folder `out.csv`, expected a file"),
        (
            "mkfifo out.csv",
            "wrote a pipe or a device `out.csv`, expected a file",
        ),
    ];
    for (script, says) in cases {
        refused(script, COLUMNS, "", 5, &[says]);
    }
}

#[test]
fn published_values_that_an_output_lacks_are_told_with_their_place() {
    let project = Project::new();
    let script = "printf 'row,x,y\\nlow,1,2\\nmiddle,,3\\n' > out.csv";
    let columns = "columns = [{ name = \"x\" }, { name = \"y\" }]\n[published]\n\
         low = { x = 1, y = 2 }\nmiddle = { x = 2, y = 3 }\nhigh = { x = 3, y = 4 }";
    let source = "source = { paper = \"a\", where = \"Table 1\" }";
    project.step("lacks", script, columns, source);
    let says = [
        "error: own/lacks: out.csv has no row `high`; it has `low`, `middle`",
        "error: own/lacks \"middle\".x: out.csv:3: column `x` of row `middle` is empty",
        "None of the 6 values is recorded yet.",
        " s elapsed ",
    ];
    let text = project.expect(&["reproduce"], 5, &says);
    assert!(
        !text.contains("yields no value") && !text.contains("CPU"),
        "{text}"
    );
    project.expect(&["list"], 0, &[" s elapsed "]);
    project.expect(&["explain", "own/lacks", "all rows"], 0, &[" s elapsed\n"]);
    // A step that fails has no values either, and nothing is recorded that could be missing.
    project.write("steps/lacks.sh", "exit 1");
    let text = project.expect(
        &["reproduce"],
        5,
        &["None of the 6 values is recorded yet."],
    );
    assert!(!text.contains("CPU") && !text.contains("missing"), "{text}");
}

#[test]
fn json_is_read_and_refused_with_its_place() {
    let json = |text: &str| {
        let project = Project::new();
        project.step("json", &format!("printf '{text}' > out.json"), COLUMNS, "");
        let file = project.read("experiments/own/json.toml");
        let file = file.replace("out.csv", "out.json");
        project.write("experiments/own/json.toml", &file);
        project
    };
    let good = json("[{\"row\": \"a\", \"x\": 1.5}, {\"row\": \"b\", \"x\": null}]");
    good.expect(&["reproduce"], 0, &["a    1.5"]);
    let cases = [
        (
            "[{\"row\": \"a\",\\n \"x\": NaN}]",
            "out.json:2:7: expected a list of objects",
        ),
        ("[{\"row\": \"a\"}]", "out.json, record 1 has no column `x`"),
        (
            "[{\"row\": \"a\", \"x\": \"1\"}]",
            "record 1: column `x` is declared `float`, found \"1\"",
        ),
        (
            "[{\"row\": \"a\", \"x\": 1, \"y\": 2}]",
            "record 1 has column `y`",
        ),
    ];
    for (text, says) in cases {
        json(text).expect(&["reproduce"], 5, &[says]);
    }
}

#[test]
fn a_step_that_hangs_is_stopped_at_its_limit() {
    let watch = Instant::now();
    let rest = "run = { timeout = \"300ms\" }";
    let says = [
        "exceeded its limit, `run.timeout`: 300ms of elapsed time",
        "    waiting",
    ];
    refused("echo waiting; sleep 60 & wait", COLUMNS, rest, 5, &says);
    assert!(watch.elapsed() < Duration::from_secs(20));
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_place_and_nothing_runs() {
    let project = Project::new();
    project.step("a", "touch ran", COLUMNS, "");
    let file = |old: &str, new: &str| {
        let text = project.read("experiments/own/a.toml").replace(old, new);
        project.write("experiments/own/b.toml", &text);
    };
    let out = "leads out of the folder";
    let cases = [
        ("../secret", "`../secret` leads out of the folder"),
        ("/etc/passwd", out),
        ("steps/../../x", out),
        ("", "error: an empty path: expected a path below the folder"),
        (
            "steps/../steps/a.sh",
            "`steps/../steps/a.sh` goes through `.`, `..` or an empty name",
        ),
    ];
    for (path, says) in cases {
        file(
            "inputs = [\"steps/a.sh\"]",
            &format!("inputs = [\"{path}\"]"),
        );
        project.expect(
            &["reproduce", "own/b"],
            2,
            &["experiments/own/b.toml:6:11", says],
        );
    }
    file("\"out.csv\"", "\"../out.csv\"");
    project.expect(
        &["reproduce", "own/b"],
        2,
        &["experiments/own/b.toml:7:10", out],
    );
    file("[\"sh\", \"steps/a.sh\"]", "[]");
    project.expect(
        &["reproduce", "own/b"],
        2,
        &["at least the name of a program"],
    );
    file("name = \"x\"", "name = \"row\"");
    project.expect(
        &["reproduce", "own/b"],
        2,
        &["column `row` is declared twice"],
    );
    file("[params]", "run = { timeout = \"0s\" }\n[params]");
    let says = [
        "experiments/own/b.toml:4:19",
        "a timeout of 0 ends every cell",
    ];
    project.expect(&["reproduce", "own/b"], 2, &says);
    file(
        "[params]",
        "[columns]\nw = { tol = \"info\", why = \"\" }\n[params]",
    );
    let says = [
        "experiments/own/b.toml:5:1",
        "`columns` under [params] does not declare `w`",
    ];
    project.expect(&["reproduce", "own/b"], 2, &says);
    file("argv", "argvv");
    project.expect(
        &["reproduce", "own/b"],
        2,
        &["`argvv`", "did you mean `argv`"],
    );
    // Missing and linked inputs, and a version that nobody tells.
    file("inputs = [\"steps/a.sh\"]", "inputs = [\"steps/none.sh\"]");
    let says = [
        "experiments/own/b.toml:6",
        "the step reads `steps/none.sh`, which is not on disk",
    ];
    project.expect(&["reproduce", "own/b"], 3, &says);
    std::os::unix::fs::symlink("/etc/hostname", project.path("steps/link")).unwrap();
    file("inputs = [\"steps/a.sh\"]", "inputs = [\"steps/link\"]");
    let says = ["the step reads `steps/link`, which is a link to /etc/hostname"];
    project.expect(&["reproduce", "own/b"], 3, &says);
    // A pipe to which nobody writes, as an input and in a folder.
    let pipe = std::process::Command::new("mkfifo")
        .arg(project.path("steps/pipe"))
        .status();
    assert!(pipe.unwrap().success());
    for input in ["steps/pipe", "steps"] {
        file(
            "inputs = [\"steps/a.sh\"]",
            &format!("inputs = [\"{input}\"]"),
        );
        let says = ["steps/pipe is neither a file nor a folder, but a pipe"];
        project.expect(&["reproduce", "own/b"], 3, &says);
        project.expect(&["explain", "own/b"], 0, &["no data"]);
    }
    file("output =", "version = [\"no-such-program\"]\noutput =");
    let says =
        ["error: cannot start `no-such-program`: no such program; install it, or correct its name"];
    project.expect(&["reproduce", "own/b"], 3, &says);
    file("[\"sh\", \"steps/a.sh\"]", "[\"no-such-program\"]");
    let says = ["cannot start `no-such-program`: no such program; install it, or correct its name"];
    project.expect(&["reproduce", "own/b"], 3, &says);
    file("output =", "version = [\"false\"]\noutput =");
    let says = ["the version command `false` failed", "exit status: 1"];
    project.expect(&["reproduce", "own/b"], 3, &says);
    assert!(!project.path("ran").exists());
}

#[test]
fn steps_that_read_each_other_in_a_circle_are_refused() {
    let project = Project::new();
    project.step("a", "", COLUMNS, "from = { b = \"own/b\" }");
    project.step("b", "", COLUMNS, "from = { a = \"own/a\" }");
    project.expect(
        &["reproduce"],
        2,
        &["it reads itself: own/a reads own/b reads own/a"],
    );
}

/// A dataset by a step, a table of it by a query, and a step that reads both, data and a folder.
fn chain() -> Project {
    let project = Project::new();
    project.write("data/numbers.csv", "n\n1\n2\n3\n");
    project.write("data/all.txt", "all\n");
    let records = "printf 'n,even\\n' > out.csv; tail -n +2 data/numbers.csv | while read n; do \
         [ $((n % 2)) = 0 ] && even=true || even=false; echo $n,$even; done >> out.csv";
    let columns = "dataset = true\ncolumns = [{ name = \"n\", type = \"int\" }, { name = \"even\", type = \"bool\" }]";
    project.step("records", records, columns, "");
    let file = project.read("experiments/own/records.toml");
    let file = file.replace("records.sh\"]\noutput", "records.sh\", \"data\"]\noutput");
    project.write("experiments/own/records.toml", &file);
    project.write(
        "experiments/own/sums.toml",
        "kind = \"query\"\ntitle = \"Sums\"\nfrom = { r = \"own/records\" }\n[params]\nsql = \"\"\"\n\
         SELECT CAST(even AS VARCHAR) AS row, SUM(n) AS total FROM r GROUP BY even\"\"\"\n",
    );
    let last = "set -e; test \"$(ls)\" = \"$(printf 'numbers.csv\\nparameters.json\\nrecords.csv\\nsteps\\nsums.csv')\"\n\
         test \"$(head -1 records.csv)\" = n,even; test \"$(wc -l < numbers.csv)\" -eq 4\n\
         total=$(grep '^true,total' sums.csv | cut -d, -f3)\nprintf \"row,x\\nall,$total\\n\" > out.csv";
    let params = format!("{COLUMNS}\nreads = [\"numbers\"]");
    let rest = "data = { numbers = \"numbers\" }\nfrom = { records = \"own/records\", sums = \"own/sums\" }";
    project.step("last", last, &params, rest);
    let add = [
        "data",
        "add",
        "data/numbers.csv",
        "--license",
        "CC0",
        "--origin",
        "made up",
    ];
    project.expect(&add, 0, &[]);
    project
}

#[test]
fn steps_read_data_datasets_and_tables_and_yield_them() {
    let project = chain();
    project.expect(&["reproduce"], 0, &["3 records"]);
    let table = project.read("target/kibitz/results/own/last/table.csv");
    assert!(table.contains("all,x,2,"), "{table}");
    project.expect(&["schema"], 0, &[]);
    project.expect(
        &["reproduce", "--bless", "--allow-dirty"],
        0,
        &["new: own/last"],
    );
    project.expect(&["reproduce", "--check"], 0, &["no drift"]);
    project.expect(&["dataset", "own/records"], 0, &["even"]);
}

const DRAWS: &str = "printf \"row,x\\n$KIBITZ_CELL,$((KIBITZ_SEED % 1000 + KIBITZ_PARAM_OFFSET + KIBITZ_REPLICATE))\\n\" > out.csv\n\
     grep -q \"\\\"seed\\\": $KIBITZ_SEED\" $KIBITZ_PARAMETERS && test $KIBITZ_SEED -lt 2147483648";

fn draws() -> Project {
    let project = Project::new();
    let params = format!(
        "{COLUMNS}\nrandom = true\nparameters = {{ offset = 5 }}\ncells = [\n  {{ id = \"a\" }},\n  \
         {{ id = \"b\", parameters = {{ offset = 1000 }} }},\n]"
    );
    project.step(
        "draws",
        DRAWS,
        &params,
        "run = { seed = 7, replicates = 6 }",
    );
    project
}

#[test]
fn cells_and_replicates_have_seeds_and_the_same_values_for_any_number_of_jobs() {
    let values = ["1", "5"].map(|jobs| {
        let project = draws();
        project.expect(&["reproduce", "--jobs", jobs], 0, &["12 runs"]);
        project.read("target/kibitz/results/own/draws/table.csv")
    });
    assert_eq!(values[0], values[1]);
    let [a, b] = ["a,x,", "b,x,"].map(|start| {
        let line = values[0]
            .lines()
            .find(|line| line.starts_with(start))
            .unwrap();
        line.split(',').nth(2).unwrap().parse::<f64>().unwrap()
    });
    assert!(a < 1020.0 && b >= 1000.0, "{a}, {b}");
    // The same by single cells, as engines run them.
    let project = draws();
    let cells = project.expect(&["cells", "--format", "json"], 0, &["stale"]);
    let keys: Vec<&str> = cells.split('"').filter(|word| word.len() == 32).collect();
    assert!(keys.len() >= 12, "{cells}");
    fs::create_dir(project.path("cache")).unwrap();
    let mut arguments = vec!["--cache", "cache", "cell"];
    arguments.extend(&keys);
    project.expect(&arguments, 0, &[]);
    project.expect(&["--cache", "cache", "reproduce"], 0, &["fresh"]);
    assert_eq!(
        project.read("target/kibitz/results/own/draws/table.csv"),
        values[0]
    );
}

#[test]
fn a_step_sees_what_it_declares_of_the_environment() {
    let project = Project::new();
    let script =
        "printf \"row,x\\na,${LEVEL:-0}\\nb,${OTHER:-0}\\n\" > out.csv; test \"$LC_ALL\" = C.UTF-8";
    let params = format!("{COLUMNS}\nenvironment = [\"LEVEL\"]");
    project.step("level", script, &params, "");
    let table = |level: &str| {
        let mut command = super::project::program(project.folder(), &["reproduce"]);
        command.env("LEVEL", level).env("OTHER", "9");
        let (exit, text) = super::project::told(&command.output().unwrap());
        assert_eq!(exit, 0, "{text}");
        let is_fresh = text.contains("fresh");
        (
            project.read("target/kibitz/results/own/level/table.csv"),
            is_fresh,
        )
    };
    let (first, is_fresh) = table("3");
    assert!(
        first.contains("a,x,3,") && first.contains("b,x,0,") && !is_fresh,
        "{first}"
    );
    assert!(table("3").1, "the same value");
    let (other, is_fresh) = table("4");
    assert!(other.contains("a,x,4,") && !is_fresh, "{other}");
}
